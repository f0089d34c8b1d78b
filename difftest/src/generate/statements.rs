//! Statements.

use super::expressions::two;
use super::scope::{Hold, Use};
use super::{Generator, Node, Target, Ty};

/// How deep loops nest.
const MAX_LOOPS: usize = 2;

impl Generator {
    /// About `count` statements.
    pub(super) fn statements(&mut self, count: usize) -> Node {
        let mut list = Vec::new();
        for _ in 0..count {
            if self.budget == 0 {
                break;
            }
            self.budget -= 1;
            self.nesting += 1;
            let mark = self.scope.enter();
            let (node, keeps) = self.statement();
            // What a statement borrows is free again after it, but for borrows that it binds.
            if !keeps {
                self.scope.release(mark);
            }
            self.nesting -= 1;
            list.push(node);
        }
        Node::list(list)
    }

    /// A statement, and whether what it borrows stays borrowed.
    fn statement(&mut self) -> (Node, bool) {
        let node = match self.rng.below(30) {
            0..=4 => self.declaration(),
            5 => self.destructuring(),
            6 | 7 => self.assignment(),
            8..=10 => self.change(),
            11 | 12 => self.conditional(),
            13 => self.conditional_let(),
            14..=16 if self.loops < MAX_LOOPS => self.repetition(),
            17 => self.leaving(),
            18 => self.deferred(),
            19 => self.move_and_refill(),
            20 => self.let_else(),
            21 => return (self.kept_borrow(), true),
            22 | 23 => self.noisy(),
            24 if self.may_await && self.has_context => {
                let seconds = self.rng.below(30);
                Node::stmt(&format!("cx.sleep(seconds({seconds})).await;"), vec![])
            }
            25 => {
                let mark = self.scope.enter();
                let count = 1 + self.rng.below(3);
                let statements = self.statements(count);
                self.scope.leave(mark);
                Node::stmt("{\n$}", vec![statements])
            }
            26 => self.local_item(),
            27 if self.may_await => {
                let value = self.select_value(Ty::Unit);
                Node::stmt("$", vec![value])
            }
            _ => {
                let ty = self.rng.pick(&Ty::VALUES);
                let value = self.expr(ty);
                Node::stmt("note($);", vec![value])
            }
        };
        (node, false)
    }

    /// The name of a new local: mostly fresh, sometimes one that is then shadowed.
    fn name(&mut self) -> String {
        if self.rng.chance(20)
            && let Some(name) = self.scope.any_name(&mut self.rng)
        {
            return name;
        }
        self.fresh()
    }

    fn declare(&mut self, name: &str, ty: Ty, mutable: bool) {
        self.scope.declare(name.to_owned(), ty, mutable, true);
    }

    fn declaration(&mut self) -> Node {
        let ty = self.rng.pick(&Ty::VALUES);
        let value = self.expr(ty);
        let name = self.name();
        let mutable = self.rng.chance(50);
        self.declare(&name, ty, mutable);
        let mutability = if mutable { "mut " } else { "" };
        let annotation =
            if self.rng.chance(20) { format!(": {}", ty.name()) } else { String::new() };
        Node::stmt(&format!("let {mutability}{name}{annotation} = $;"), vec![value])
    }

    fn destructuring(&mut self) -> Node {
        let (a, b) = (self.fresh(), self.fresh());
        match self.rng.below(4) {
            0 => {
                let pair = self.expr(Ty::Pair);
                self.declare(&a, Ty::Int, true);
                self.declare(&b, Ty::Text, false);
                Node::stmt(&format!("let (mut {a}, {b}) = $;"), vec![pair])
            }
            1 => {
                let order = self.expr(Ty::Order);
                self.declare(&a, Ty::Int, false);
                self.declare(&b, Ty::Text, true);
                let template = format!("let Order {{ id: {a}, customer: mut {b}, .. }} = $;");
                Node::stmt(&template, vec![order])
            }
            2 => {
                let (x, y, z) = (self.expr(Ty::Int), self.expr(Ty::Int), self.expr(Ty::Int));
                self.declare(&a, Ty::Int, false);
                self.declare(&b, Ty::Int, false);
                Node::stmt(&format!("let [{a}, .., {b}] = [$, $, $];"), vec![x, y, z])
            }
            _ => {
                let (x, y) = (self.expr(Ty::Shape), self.expr(Ty::Text));
                self.declare(&a, Ty::Shape, false);
                self.declare(&b, Ty::Text, false);
                Node::stmt(&format!("let ({a}, (_, {b})) = ($, (1, $));"), vec![x, y])
            }
        }
    }

    /// A local that can be changed, and its name.
    fn changeable(&mut self, ty: Ty) -> Option<(usize, String)> {
        let index = self.scope.find(ty, Use::Change, &mut self.rng)?;
        Some((index, self.scope.var(index).name.clone()))
    }

    fn assignment(&mut self) -> Node {
        let ty = self.rng.pick(&Ty::VALUES);
        let Some((index, name)) = self.changeable(ty) else { return self.declaration() };
        if ty == Ty::Int {
            let value = self.expr(ty);
            let operator = self.rng.pick(&["=", "+=", "-=", "^="]);
            return Node::stmt(&format!("{name} {operator} $;"), vec![value]);
        }
        // The value may be made from the old one, but must not leave it moved on its way out.
        let mark = self.scope.enter();
        self.scope.hold(index, Hold::Shared);
        let value = self.expr(ty);
        self.scope.release(mark);
        Node::stmt(&format!("{name} = $;"), vec![value])
    }

    /// A change of a local in place.
    fn change(&mut self) -> Node {
        let kind = self.rng.below(7);
        let ty = [Ty::List, Ty::List, Ty::Text, Ty::Map, Ty::Order, Ty::Texts, Ty::Pair][kind];
        let Some((index, name)) = self.changeable(ty) else { return self.declaration() };
        let mark = self.scope.enter();
        self.scope.hold(index, Hold::Exclusive);
        let (template, nodes) = match kind {
            0 => ("@.push($);", vec![self.expr(Ty::Int)]),
            1 => (
                "if !@.is_empty() { let place = i64::rem_euclid($, @.len() as i64) as usize; @[place] = $; }",
                vec![self.expr(Ty::Int), self.perhaps(|this| this.expr(Ty::Int))],
            ),
            2 => ("@.push_str($);", vec![self.str_argument()]),
            3 => ("@.insert($, $);", vec![self.expr(Ty::Text), self.expr(Ty::Int)]),
            4 => match self.rng.below(3) {
                0 => ("@.id += $;", vec![self.expr(Ty::Int)]),
                1 => ("@.customer = $;", vec![self.expr(Ty::Text)]),
                _ => (
                    "@.lines.push(Line { sku: $, count: $ });",
                    vec![self.expr(Ty::Text), self.expr(Ty::Int)],
                ),
            },
            5 => ("@.insert(0, $);", vec![self.expr(Ty::Text)]),
            _ => ("@.0 = $;", vec![self.expr(Ty::Int)]),
        };
        self.scope.release(mark);
        Node::stmt(&template.replace('@', &name), nodes)
    }

    fn body(&mut self, most: usize) -> Node {
        let mark = self.scope.enter();
        let count = 1 + self.rng.below(most);
        let statements = self.statements(count);
        self.scope.leave(mark);
        statements
    }

    fn conditional(&mut self) -> Node {
        let condition = self.expr(Ty::Bool);
        if self.rng.chance(50) {
            let body = self.perhaps(|this| this.body(3));
            return Node::stmt("if $ {\n$}", vec![condition, body]);
        }
        let arms = self.alternatives(2, |this, _| this.body(3));
        let [yes, no] = two(arms);
        Node::stmt("if $ {\n$} else {\n$}", vec![condition, yes, no])
    }

    fn conditional_let(&mut self) -> Node {
        let first = self.expr(Ty::MaybeText);
        let name = self.fresh();
        let chained = self.rng.chance(50);
        self.perhaps(|this| {
            let mark = this.scope.enter();
            this.declare(&name, Ty::Text, false);
            let mut nodes = vec![first];
            let mut template = format!("if let Some({name}) = $");
            if chained {
                let number = this.fresh();
                nodes.push(this.expr(Ty::Bool));
                nodes.push(this.expr(Ty::Maybe));
                this.declare(&number, Ty::Int, false);
                template.push_str(&format!(" && $ && let Some({number}) = $"));
            }
            nodes.push(this.body(3));
            this.scope.leave(mark);
            Node::stmt(&format!("{template} {{\n$}}"), nodes)
        })
    }

    /// Runs `body` as the body of a loop with this label.
    fn in_loop<T>(&mut self, label: &str, value: Ty, body: impl FnOnce(&mut Self) -> T) -> T {
        self.targets.push(Target { label: label.to_owned(), is_loop: true, value });
        self.scope.begin_loop();
        self.loops += 1;
        let made = self.perhaps(body);
        self.loops -= 1;
        self.scope.end_loop();
        self.targets.pop();
        made
    }

    fn repetition(&mut self) -> Node {
        let label = format!("'l{}", self.names + 1);
        let name = self.fresh();
        match self.rng.below(7) {
            0 | 1 => {
                let end = self.expr(Ty::Int);
                let range = self.rng.pick(&["0..", "-1..=", "2.."]);
                let body = self.for_body(&label, &[(&name, Ty::Int)]);
                let template =
                    format!("{label}: for {name} in {range}i64::rem_euclid($, 4) {{\n$}}");
                Node::stmt(&template, vec![end, body])
            }
            2 => {
                let list = self.expr(Ty::List);
                let body = self.for_body(&label, &[(&name, Ty::Int)]);
                let limit = self.rng.pick(&["", ".into_iter().take(3)", ".into_iter().rev()"]);
                Node::stmt(
                    &format!("{label}: for {name} in $.clone(){limit} {{\n$}}"),
                    vec![list, body],
                )
            }
            3 => {
                let texts = self.expr(Ty::Texts);
                let index = self.fresh();
                let body = self.for_body(&label, &[(&name, Ty::Text)]);
                let template =
                    format!("{label}: for ({index}, {name}) in $.into_iter().enumerate() {{\n$}}");
                Node::stmt(&template, vec![texts, body])
            }
            4 => {
                let map = self.expr(Ty::Map);
                let key = self.fresh();
                let body = self.for_body(&label, &[(&key, Ty::Text), (&name, Ty::Int)]);
                Node::stmt(&format!("{label}: for ({key}, {name}) in $ {{\n$}}"), vec![map, body])
            }
            5 => {
                // The counter is not a local that the body could change.
                let (condition, body) = self.in_loop(&label, Ty::Unit, |this| {
                    let condition = this.perhaps(|this| this.expr(Ty::Bool));
                    (condition, this.body(3))
                });
                let template = format!(
                    "let mut {name} = 0;\n{label}: while {name} < 3 && $ {{\n{name} += 1;\n$}}"
                );
                Node::stmt(&template, vec![condition, body])
            }
            _ => {
                let (condition, body) = self.in_loop(&label, Ty::Unit, |this| {
                    let body = this.body(3);
                    (this.expr(Ty::Bool), body)
                });
                let template = format!(
                    "let mut {name} = 0;\n{label}: loop {{\n{name} += 1;\n\
                     if {name} > 3 {{ break; }}\n{{\n$}}\nif $ {{ break {label}; }}\n}}"
                );
                Node::stmt(&template, vec![body, condition])
            }
        }
    }

    fn for_body(&mut self, label: &str, bindings: &[(&String, Ty)]) -> Node {
        self.in_loop(label, Ty::Unit, |this| {
            let mark = this.scope.enter();
            for (name, ty) in bindings {
                this.declare(name, *ty, false);
            }
            let body = this.body(3);
            this.scope.leave(mark);
            body
        })
    }

    /// A loop that gives a value.
    pub(super) fn loop_with_value(&mut self, ty: Ty) -> Node {
        if self.loops >= MAX_LOOPS {
            return self.block(ty);
        }
        let label = format!("'l{}", self.names + 1);
        let name = self.fresh();
        let (body, condition, early, last) = self.in_loop(&label, ty, |this| {
            let body = this.body(2);
            let condition = this.expr(Ty::Bool);
            (body, condition, this.expr(ty), this.expr(ty))
        });
        let template = format!(
            "{{ let mut {name} = 0;\n{label}: loop {{\n{name} += 1;\n\
             if {name} > 8 {{ panic!(\"it only continues\"); }}\n{{\n$}}\n\
             if $ {{ break ($); }}\nif {name} > 2 {{ break {label} ($); }}\n}} }}"
        );
        Node::expr(ty, &template, vec![body, condition, early, last])
    }

    /// A labeled block that gives a value, sometimes early.
    pub(super) fn labeled_block(&mut self, ty: Ty) -> Node {
        let label = format!("'b{}", self.names + 1);
        self.fresh();
        self.targets.push(Target { label: label.clone(), is_loop: false, value: ty });
        let nodes = self.perhaps(|this| {
            let mark = this.scope.enter();
            let body = this.body(2);
            let condition = this.expr(Ty::Bool);
            let early = this.perhaps(|this| this.expr(ty));
            let value = this.expr(ty);
            this.scope.leave(mark);
            vec![body, condition, early, value]
        });
        self.targets.pop();
        let template = format!("{label}: {{\n{{\n$}}\nif $ {{ break {label} ($); }}\n$\n}}");
        Node::expr(ty, &template, nodes)
    }

    /// A conditional `break`, `continue` or `return`.
    fn leaving(&mut self) -> Node {
        if !self.may_exit {
            return self.declaration();
        }
        let condition = self.expr(Ty::Bool);
        if !self.targets.is_empty() && self.rng.chance(75) {
            let index = self.rng.below(self.targets.len());
            let Target { label, is_loop, value } = self.targets[index].clone();
            let continues = is_loop && self.rng.chance(40);
            let given = (!continues && value != Ty::Unit).then_some(value);
            // What is given sees what the statements before it declare.
            let (statements, given) = self.perhaps(|this| {
                let mark = this.scope.enter();
                let count = 1 + this.rng.below(2);
                let nodes = (this.statements(count), given.map(|ty| this.expr(ty)));
                this.scope.leave(mark);
                nodes
            });
            let word = if continues { "continue" } else { "break" };
            let place = if given.is_some() { " ($)" } else { "" };
            let nodes = [condition, statements].into_iter().chain(given).collect();
            return Node::stmt(&format!("if $ {{\n${word} {label}{place};\n}}"), nodes);
        }
        let Some(returns) = self.returns else { return self.declaration() };
        let value = self.perhaps(|this| this.expr(returns));
        Node::stmt("if $ { return $; }", vec![condition, value])
    }

    /// A local that is declared first and given its value by every branch.
    fn deferred(&mut self) -> Node {
        let ty = self.rng.pick(&Ty::VALUES);
        let name = self.fresh();
        let condition = self.expr(Ty::Bool);
        let arms = self.alternatives(2, |this, _| {
            let mark = this.scope.enter();
            let count = this.rng.below(3);
            let statements = this.statements(count);
            let value = this.expr(ty);
            this.scope.leave(mark);
            Node::stmt(&format!("{{\n$\n{name} = $;\n}}"), vec![statements, value])
        });
        let [yes, no] = two(arms);
        self.declare(&name, ty, false);
        Node::stmt(&format!("let {name};\nif $ $ else $"), vec![condition, yes, no])
    }

    /// A local that is moved and given a new value.
    fn move_and_refill(&mut self) -> Node {
        let ty = self.rng.pick(&[Ty::Text, Ty::List, Ty::Order, Ty::Shape]);
        let Some(index) = self.scope.find(ty, Use::Refill, &mut self.rng) else {
            return self.declaration();
        };
        let name = self.scope.var(index).name.clone();
        let mark = self.scope.enter();
        self.scope.hold(index, Hold::Exclusive);
        let value = self.without_exit(|this| this.expr(ty));
        self.scope.release(mark);
        let moved = self.fresh();
        self.declare(&moved, ty, false);
        Node::stmt(&format!("let {moved} = {name};\n{name} = $;"), vec![value])
    }

    fn let_else(&mut self) -> Node {
        let Some(returns) = self.returns.filter(|_| self.may_exit) else {
            return self.declaration();
        };
        let maybe = self.expr(Ty::Maybe);
        let way_out = self.perhaps(|this| this.expr(returns));
        let name = self.name();
        self.declare(&name, Ty::Int, false);
        Node::stmt(&format!("let Some({name}) = ($) else {{ return $; }};"), vec![maybe, way_out])
    }

    /// A borrow of a local that is used until the end of the block.
    fn kept_borrow(&mut self) -> Node {
        let name = self.fresh();
        let literal = self.rng.chance(30);
        if !literal && let Some(index) = self.scope.find(Ty::Text, Use::Read, &mut self.rng) {
            let borrowed = self.scope.var(index).name.clone();
            self.scope.hold(index, Hold::Shared);
            self.declare(&name, Ty::Str, false);
            return Node::stmt(&format!("let {name}: &str = &{borrowed};"), vec![]);
        }
        self.declare(&name, Ty::Str, false);
        Node::stmt(&format!("let {name} = \"kept\";"), vec![])
    }

    fn noisy(&mut self) -> Node {
        if self.rng.chance(40)
            && let Some(index) = self.scope.find(Ty::Noisy, Use::Move, &mut self.rng)
        {
            let name = self.scope.var(index).name.clone();
            self.scope.moved(index);
            return Node::stmt(&format!("drop({name});"), vec![]);
        }
        let value = self.expr(Ty::Noisy);
        let name = self.name();
        self.declare(&name, Ty::Noisy, false);
        Node::stmt(&format!("let {name} = $;"), vec![value])
    }

    fn local_item(&mut self) -> Node {
        let name = self.fresh();
        let number = self.rng.below(9);
        let ident = name.to_uppercase();
        self.declare(&name, Ty::Int, false);
        Node::stmt(&format!("const {ident}: i64 = {number};\nlet {name} = {ident} + 1;"), vec![])
    }
}
