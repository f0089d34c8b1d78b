//! Declarations: with a value, with a pattern, and with a value that comes later.

use crate::generate::expressions::two;
use crate::generate::{Generator, Node, Ty};

impl Generator {
    /// The name of a new local: mostly fresh, sometimes one that is then shadowed.
    pub(super) fn name(&mut self) -> String {
        if self.rng.chance(20)
            && let Some(name) = self.scope.any_name(&mut self.rng)
        {
            return name;
        }
        self.fresh()
    }

    pub(super) fn declaration(&mut self) -> Node {
        let ty = self.some_type();
        self.is_bound = true;
        let value = self.expr(ty);
        self.is_bound = false;
        let name = self.name();
        let mutable = self.rng.chance(50);
        self.declare_with(&name, ty, mutable, &value);
        let mutability = if mutable { "mut " } else { "" };
        let annotation =
            if self.rng.chance(20) { format!(": {}", ty.name()) } else { String::new() };
        Node::stmt(&format!("let {mutability}{name}{annotation} = $;"), vec![value])
    }

    /// Declares what shows its drop so that it is read, unless it shows how its value is made.
    fn declare_with(&mut self, name: &str, ty: Ty, mutable: bool, value: &Node) {
        self.scope.declare(name, ty, mutable);
        if ty.is_noisy() && is_opaque(&value.to_source()) {
            self.scope.read_last();
        }
    }

    pub(super) fn destructuring(&mut self) -> Node {
        let (a, b) = (self.fresh(), self.fresh());
        let declare = |this: &mut Self, a_type, a_mutable, b_type, b_mutable| {
            this.scope.declare(&a, a_type, a_mutable);
            this.scope.declare(&b, b_type, b_mutable);
        };
        match self.rng.below(10) {
            0 => {
                let pair = self.expr(Ty::Pair);
                declare(self, Ty::Int, true, Ty::Text, false);
                Node::stmt(&format!("let (mut {a}, {b}) = $;"), vec![pair])
            }
            1 => {
                let order = self.expr(Ty::Order);
                declare(self, Ty::Int, false, Ty::Text, true);
                let template = format!("let Order {{ id: {a}, customer: mut {b}, .. }} = $;");
                Node::stmt(&template, vec![order])
            }
            2 => {
                let array = self.expr(Ty::Array);
                declare(self, Ty::Int, false, Ty::Int, false);
                Node::stmt(&format!("let [{a}, .., {b}] = $;"), vec![array])
            }
            3 => {
                let (x, y) = (self.expr(Ty::Shape), self.expr(Ty::Text));
                declare(self, Ty::Shape, false, Ty::Text, false);
                Node::stmt(&format!("let ({a}, (_, {b})) = ($, (1, $));"), vec![x, y])
            }
            4 => {
                let array = self.expr(Ty::Array);
                declare(self, Ty::Array, true, Ty::Int, false);
                Node::stmt(&format!("let mut {a} @ [_, {b}, _] = $;"), vec![array])
            }
            5 => {
                let (x, y) = (self.expr(Ty::Text), self.expr(Ty::Text));
                declare(self, Ty::Text, false, Ty::Text, false);
                Node::stmt(&format!("let [{a}, {b}] = [$, $];"), vec![x, y])
            }
            6 => {
                let pair = self.made(Ty::Pair);
                self.scope.declare(&a, Ty::Int, true);
                self.scope.declare_borrowed(&format!("(*{b})"), Ty::Text, false);
                Node::stmt(&format!("let (mut {a}, ref {b}) = $;"), vec![pair])
            }
            7 => {
                let order = self.made(Ty::Order);
                self.scope.declare_borrowed(&format!("(*{a})"), Ty::Text, true);
                self.scope.declare_borrowed(&format!("({b}.len() as i64)"), Ty::Int, false);
                let template =
                    format!("let Order {{ customer: ref mut {a}, lines: ref {b}, .. }} = $;");
                Node::stmt(&template, vec![order])
            }
            8 if !self.scope.is_quiet() => {
                let duo = self.expr(Ty::Duo);
                let pattern = if self.rng.chance(50) {
                    declare(self, Ty::Noisy, false, Ty::Noisy, true);
                    format!("({a}, mut {b})")
                } else {
                    self.scope.declare(&a, Ty::Noisy, false);
                    format!("({a}, _)")
                };
                Node::stmt(&format!("let {pattern} = $;"), vec![duo])
            }
            _ => {
                // Assigned, and not declared, by the pattern.
                let (x, y) = (self.expr(Ty::Pair), self.expr(Ty::Int));
                declare(self, Ty::Int, true, Ty::Text, true);
                let template =
                    format!("let (mut {a}, mut {b});\n(({a}, {b}), _) = ($, $);", a = a, b = b);
                Node::stmt(&template, vec![x, y])
            }
        }
    }

    /// A `let` that may not match, and whether its bindings are borrows.
    pub(super) fn let_else(&mut self) -> (Node, bool) {
        if !self.may_jump() {
            return (self.declaration(), false);
        }
        let lent = if self.rng.chance(30) { self.lent() } else { None };
        let is_lent = lent.is_some();
        let (pattern, value, bound) = lent.unwrap_or_else(|| self.refutable_value());
        let way_out = self.scoped(|this| {
            this.perhaps(|this| {
                let count = this.rng.below(2);
                let statements = this.statements(count);
                let jump = this.jump();
                Node::stmt("$$;", vec![statements, jump])
            })
        });
        self.declare_bound(&bound);
        // No `}` may stand before `else`.
        let given = if value.to_source().trim_end().ends_with('}') { "($)" } else { "$" };
        let template = format!("let {pattern} = {given} else {{ $ }};");
        (Node::stmt(&template, vec![value, way_out]), is_lent)
    }

    /// A local that is declared first and given its value later, on every way.
    pub(super) fn deferred(&mut self) -> Node {
        let ty = self.some_type();
        let name = self.fresh();
        let give = |this: &mut Self, with_value: bool| {
            this.scoped(|this| {
                let count = this.rng.below(3);
                let statements = this.statements(count);
                if !with_value {
                    let jump = this.jump();
                    return Node::stmt("{\n$\n$;\n}", vec![statements, jump]);
                }
                let value = this.expr(ty);
                Node::stmt(&format!("{{\n$\n{name} = $;\n}}"), vec![statements, value])
            })
        };
        let may_leave = self.may_jump();
        let node = match self.rng.below(5) {
            0 => {
                let value = self.expr(Ty::Int);
                let arms = self.alternatives(3, |this, _| give(this, true));
                let mut nodes = vec![value];
                nodes.extend(arms);
                Node::stmt(&format!("let {name};\nmatch $ {{ 0..=3 => $ 4 => $ _ => $ }}"), nodes)
            }
            1 => {
                let label = self.label();
                let counter = self.fresh();
                // To leave or continue it would leave the local without a value.
                let nodes = self.in_closed_loop(|this| vec![this.body(2), give(this, true)]);
                let template = format!(
                    "let {name};\n{{ let mut {counter} = 0;\n{label}: loop {{\n{counter} += 1;\n\
                     if {counter} < 2 {{ continue {label}; }}\n{{\n$}}\n$\nbreak; }} }}"
                );
                Node::stmt(&template, nodes)
            }
            2 if may_leave => {
                let condition = self.expr(Ty::Bool);
                let arms = self.alternatives(2, |this, index| give(this, index == 0));
                let [yes, no] = two(arms);
                Node::stmt(&format!("let {name};\nif $ $ else $"), vec![condition, yes, no])
            }
            3 => {
                // Only on one way, and used there.
                let condition = self.expr(Ty::Bool);
                let body = self.perhaps(|this| {
                    this.scoped(|this| {
                        let value = this.expr(ty);
                        this.scope.declare(&name, ty, false);
                        let statements = this.statements(2);
                        Node::stmt(&format!("{{\n{name} = $;\n$}}"), vec![value, statements])
                    })
                });
                let template = format!("{{ let {name};\nif $ $ }}");
                return Node::stmt(&template, vec![condition, body]);
            }
            _ => {
                let condition = self.expr(Ty::Bool);
                let arms = self.alternatives(2, |this, _| give(this, true));
                let [yes, no] = two(arms);
                Node::stmt(&format!("let {name};\nif $ $ else $"), vec![condition, yes, no])
            }
        };
        self.scope.declare(&name, ty, false);
        node
    }

    pub(super) fn noisy(&mut self) -> Node {
        if self.scope.is_quiet() {
            return self.declaration();
        }
        let value = self.expr(Ty::Noisy);
        match self.rng.below(6) {
            0 | 1 => Node::stmt("drop($);", vec![value]),
            2 => {
                self.declare_with("_guard", Ty::Noisy, false, &value);
                Node::stmt("let _guard = $;", vec![value])
            }
            _ => {
                let name = self.name();
                let mutable = self.rng.chance(50);
                self.declare_with(&name, Ty::Noisy, mutable, &value);
                let mutability = if mutable { "mut " } else { "" };
                Node::stmt(&format!("let {mutability}{name} = $;"), vec![value])
            }
        }
    }

    /// A constant or another item that is no function.
    pub(super) fn local_item(&mut self) -> Node {
        let name = self.fresh();
        let number = self.rng.below(9);
        let ident = name.to_uppercase();
        let template = match self.rng.below(4) {
            0 => format!(
                "static {ident}: [i64; 2] = [{number}, 7];\nlet {name} = {ident}[1] + {ident}[0];"
            ),
            1 => format!(
                "    use std::cmp::max as max_{name};\nlet {name} = max_{name}({number}, 4);"
            ),
            2 => format!(
                "type {ident} = (i64, i64);\nlet {name}: {ident} = ({number}, 1);\nlet {name} = {name}.0;"
            ),
            _ => format!("const {ident}: i64 = {number};\nlet {name} = {ident} + 1;"),
        };
        self.scope.declare(&name, Ty::Int, false);
        Node::stmt(&template, vec![])
    }
}

/// Whether a value is made by methods, closures, borrows or branches.
fn is_opaque(value: &str) -> bool {
    let value = value.replace(".clone()", "").replace(".await", "");
    let has_method = value.split('.').skip(1).any(|rest| rest.starts_with(char::is_alphabetic));
    has_method || value.contains(['&', '|', '{'])
}
