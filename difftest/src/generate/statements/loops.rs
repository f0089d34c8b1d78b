//! Loops: over numbers, over what is owned and what is borrowed, and until something happens.

use crate::generate::scope::{Hold, Use};
use crate::generate::{Generator, Node, Ty};

/// How deep loops nest.
const MAX_LOOPS: usize = 2;

/// What a `for` binds: the expression for it, its type, whether it is owned, whether it is mutable.
type Item<'a> = (&'a str, Ty, bool, bool);

/// A loop over a borrow of a local: the pattern, what it goes over, and what it binds. `@` is the
/// local, `#` the name that is bound.
type Borrowing = (Ty, &'static str, &'static str, &'static [(&'static str, Ty)]);

const BORROWINGS: [Borrowing; 23] = [
    (Ty::List, "#", "&@", &[("(*#)", Ty::Int)]),
    (Ty::List, "&#", "&@", &[("#", Ty::Int)]),
    (Ty::List, "#", "@.iter()", &[("(*#)", Ty::Int)]),
    (Ty::List, "#", "@.iter().rev()", &[("(*#)", Ty::Int)]),
    (Ty::List, "(i, #)", "@.iter().enumerate()", &[("(*#)", Ty::Int), ("(i as i64)", Ty::Int)]),
    (Ty::List, "#", "@.iter().copied()", &[("#", Ty::Int)]),
    (Ty::List, "#", "@.iter().skip(1)", &[("(*#)", Ty::Int)]),
    (Ty::List, "#", "@.iter().filter(|x| **x > 3).cloned()", &[("#", Ty::Int)]),
    (Ty::List, "#", "@.iter().map(|x| x * 2)", &[("#", Ty::Int)]),
    (Ty::Texts, "#", "&@", &[("#.as_str()", Ty::Str)]),
    (Ty::Texts, "#", "@.iter().take(2)", &[("(*#)", Ty::Text)]),
    (Ty::Texts, "#", "@.iter().cloned()", &[("#", Ty::Text)]),
    (Ty::Map, "(key, #)", "&@", &[("key.as_str()", Ty::Str), ("(*#)", Ty::Int)]),
    (Ty::Map, "#", "@.values()", &[("(*#)", Ty::Int)]),
    (Ty::Map, "#", "@.keys()", &[("(*#)", Ty::Text)]),
    (Ty::Order, "#", "&@.lines", &[("#.count", Ty::Int), ("#.sku.as_str()", Ty::Str)]),
    (Ty::Order, "Line { sku, count: # }", "@.lines.iter()", &[("(*#)", Ty::Int)]),
    (Ty::Text, "#", "@.chars().take(3)", &[("#", Ty::Char)]),
    (Ty::Text, "#", "@.lines()", &[("#", Ty::Str)]),
    (Ty::List, "#", "@.chunks(2)", &[("(#.len() as i64)", Ty::Int)]),
    (Ty::List, "#", "@.iter().inspect(|x| { note(**x); })", &[("(*#)", Ty::Int)]),
    (Ty::Texts, "#", "@.iter().skip(1).peekable()", &[("#.as_str()", Ty::Str)]),
    (
        Ty::Map,
        "(key, #)",
        "@.range(String::from(\"b\")..)",
        &[("key.as_str()", Ty::Str), ("(*#)", Ty::Int)],
    ),
];

/// The same with what may be changed.
const CHANGING: [Borrowing; 4] = [
    (Ty::List, "#", "&mut @", &[("(*#)", Ty::Int)]),
    (Ty::List, "#", "@.iter_mut().rev()", &[("(*#)", Ty::Int)]),
    (Ty::Map, "#", "@.values_mut()", &[("(*#)", Ty::Int)]),
    (Ty::Texts, "#", "&mut @", &[("(*#)", Ty::Text)]),
];

impl Generator {
    /// Runs `body` as the body of a loop that it does not leave or continue.
    pub(super) fn in_closed_loop<T>(&mut self, body: impl FnOnce(&mut Self) -> T) -> T {
        self.scope.begin_loop();
        self.loops += 1;
        let made = self.perhaps(body);
        self.loops -= 1;
        self.scope.end_loop();
        made
    }

    /// Runs `body` as the body of a loop with this label, which `break` gives such a value.
    fn in_loop<T>(&mut self, label: &str, value: Ty, body: impl FnOnce(&mut Self) -> T) -> T {
        self.with_target(label, true, value, |this| this.in_closed_loop(body))
    }

    pub(super) fn repetition(&mut self) -> Node {
        if self.loops >= MAX_LOOPS {
            return self.change();
        }
        match self.rng.below(16) {
            14 => self.for_lent(),
            15 => self.for_rows(),
            0..=2 => self.for_numbers(),
            3..=6 => self.for_owned(),
            7..=9 => self.for_borrowed(),
            10 => self.while_condition(),
            11 | 12 => self.while_let(),
            _ => self.endless(),
        }
    }

    fn for_body(&mut self, label: &str, bindings: &[Item<'_>]) -> Node {
        self.in_loop(label, Ty::Unit, |this| {
            this.scoped(|this| {
                for (name, ty, owned, mutable) in bindings {
                    if *owned {
                        this.scope.declare(name, *ty, *mutable);
                    } else {
                        this.scope.declare_borrowed(name, *ty, *mutable);
                    }
                }
                this.body(3)
            })
        })
    }

    fn for_numbers(&mut self) -> Node {
        let (label, name) = (self.label(), self.fresh());
        let end = self.expr(Ty::Int);
        let range = self.rng.pick(&[
            "0..i64::rem_euclid($, 4)",
            "-1..=i64::rem_euclid($, 3)",
            "(2..i64::rem_euclid($, 6)).rev()",
            "(0..i64::rem_euclid($, 8)).step_by(3)",
            "(0..i64::rem_euclid($, 4)).map(|x| x * 5)",
            "[7, 8, i64::rem_euclid($, 9)]",
            "Some(i64::rem_euclid($, 9))",
        ]);
        let body = self.for_body(&label, &[(&name, Ty::Int, true, false)]);
        Node::stmt(&format!("{label}: for {name} in {range} {{\n$}}"), vec![end, body])
    }

    /// Over what is used up.
    fn for_owned(&mut self) -> Node {
        let (label, name, other) = (self.label(), self.fresh(), self.fresh());
        let index = format!("({other} as i64)");
        let noisy = if self.scope.is_quiet() { 0 } else { 2 };
        let (ty, iterator, pattern, items): (_, &str, String, Vec<Item<'_>>) = match self
            .rng
            .below(9 + noisy)
        {
            0 | 1 => {
                let iterator = self.rng.pick(&[
                    "$.clone()",
                    "$.into_iter().take(3)",
                    "$.into_iter().rev()",
                    "$.into_iter().skip(1)",
                    "$.into_iter().filter(|x| x % 2 == 0)",
                    "$.into_iter().map(|x| x / 2)",
                    "$.into_iter().chain([1, 2])",
                ]);
                (Ty::List, iterator, format!("mut {name}"), vec![(&name, Ty::Int, true, true)])
            }
            2 => {
                let items = vec![(&*name, Ty::Int, true, false), (&index, Ty::Int, true, false)];
                let iterator = "$.into_iter().zip(3..)";
                (Ty::List, iterator, format!("({name}, {other})"), items)
            }
            3 => {
                let items = vec![(&*name, Ty::Text, true, false), (&index, Ty::Int, true, false)];
                let iterator = "$.into_iter().enumerate()";
                (Ty::Texts, iterator, format!("({other}, {name})"), items)
            }
            4 => {
                let items = vec![(&*other, Ty::Text, true, false), (&*name, Ty::Int, true, false)];
                (Ty::Map, "$", format!("({other}, {name})"), items)
            }
            5 => (Ty::Array, "$", name.clone(), vec![(&name, Ty::Int, true, false)]),
            6 => (Ty::MaybeText, "$", name.clone(), vec![(&name, Ty::Text, true, false)]),
            7 => {
                let items = vec![(&*name, Ty::Text, true, true)];
                (Ty::Order, "($.lines)", format!("Line {{ sku: mut {name}, .. }}"), items)
            }
            8 => (Ty::Texts, "$", format!("mut {name}"), vec![(&name, Ty::Text, true, true)]),
            9 => (Ty::Noisies, "$", name.clone(), vec![(&name, Ty::Noisy, true, false)]),
            _ => {
                let iterator = "$.into_iter().rev()";
                (Ty::Noisies, iterator, name.clone(), vec![(&name, Ty::Noisy, true, false)])
            }
        };
        let value = self.expr(ty);
        let body = self.for_body(&label, &items);
        Node::stmt(&format!("{label}: for {pattern} in {iterator} {{\n$}}"), vec![value, body])
    }

    /// Over a local that stays.
    fn for_borrowed(&mut self) -> Node {
        let changes = self.rng.chance(30);
        let (ty, pattern, over, items) =
            if changes { self.rng.pick(&CHANGING) } else { self.rng.pick(&BORROWINGS) };
        let usage = if changes { Use::Change } else { Use::Read };
        let Some(index) = self.scope.find_where(ty, usage, &mut self.rng, |var| var.is_place())
        else {
            return self.for_owned();
        };
        let local = self.scope.var(index).name.clone();
        let (label, name) = (self.label(), self.fresh());
        self.scope.hold(index, if changes { Hold::Exclusive } else { Hold::Shared });
        let names: Vec<(String, Ty)> =
            items.iter().map(|(item, ty)| (item.replace('#', &name), *ty)).collect();
        let items: Vec<Item<'_>> =
            names.iter().map(|(item, ty)| (item.as_str(), *ty, *item == name, changes)).collect();
        let body = self.for_body(&label, &items);
        let (pattern, over) = (pattern.replace('#', &name), over.replace('@', &local));
        Node::stmt(&format!("{label}: for {pattern} in {over} {{\n$}}"), vec![body])
    }

    /// Over what a value lends that is made for the loop.
    fn for_lent(&mut self) -> Node {
        let (ty, over, item, item_type) = self.rng.pick(&[
            (Ty::Text, "($).lines()", "#", Ty::Str),
            (Ty::List, "($).iter()", "(*#)", Ty::Int),
            (Ty::Texts, "($).iter().rev()", "#.as_str()", Ty::Str),
        ]);
        let (label, name) = (self.label(), self.fresh());
        let mut value = self.expr(ty);
        // A local would stay where it is, and its loop would borrow it.
        if value.is_path() {
            value = Node::expr(ty, "{ $ }", vec![value]);
        }
        let item = item.replace('#', &name);
        let body = self.for_body(&label, &[(&item, item_type, item == name, false)]);
        Node::stmt(&format!("{label}: for {name} in {over} {{\n$}}"), vec![value, body])
    }

    /// Over the items of the items of a list.
    fn for_rows(&mut self) -> Node {
        let (label, name) = (self.label(), self.fresh());
        let rows = vec![self.expr(Ty::List), self.expr(Ty::List)];
        let body = self.for_body(&label, &[(&format!("(*{name})"), Ty::Int, false, false)]);
        let template = format!(
            "let rows_{name} = vec![$, $];\n\
             {label}: for row_{name} in &rows_{name} {{\nfor {name} in row_{name} {{\n$}}\n}}"
        );
        Node::stmt(&template, rows.into_iter().chain([body]).collect())
    }

    fn while_condition(&mut self) -> Node {
        let (label, name) = (self.label(), self.fresh());
        // The counter is not a local that the body could change. The condition does not go on with the
        // loop, because it is not counted.
        let condition = self.in_closed_loop(|this| this.expr(Ty::Bool));
        let body = self.in_loop(&label, Ty::Unit, |this| this.body(3));
        let template =
            format!("let mut {name} = 0;\n{label}: while {name} < 3 && $ {{\n{name} += 1;\n$}}");
        Node::stmt(&template, vec![condition, body])
    }

    fn while_let(&mut self) -> Node {
        let (label, name) = (self.label(), self.fresh());
        if self.rng.chance(50) {
            // The body may read the list, but not make it longer.
            let (ty, item, with) = self.rng.pick(&[
                (Ty::List, Ty::Int, "pop()"),
                (Ty::Texts, Ty::Text, "pop()"),
                (Ty::MaybeText, Ty::Text, "take()"),
            ]);
            let list = self.fresh();
            let value = self.expr(ty);
            self.scope.declare(&list, ty, true);
            let index = self.scope.find_where(ty, Use::Change, &mut self.rng, |v| v.name == list);
            let mark = self.scope.enter();
            if let Some(index) = index {
                self.scope.hold(index, Hold::Shared);
            }
            let body = self.for_body(&label, &[(&name, item, true, true)]);
            self.scope.release(mark);
            let template = format!(
                "let mut {list} = $;\n{label}: while let Some(mut {name}) = {list}.{with} {{\n$}}"
            );
            return Node::stmt(&template, vec![value, body]);
        }
        let value = self.in_closed_loop(|this| this.expr(Ty::Maybe));
        let body = self.for_body(&label, &[(&name, Ty::Int, true, false)]);
        let counter = self.fresh();
        let template = format!(
            "let mut {counter} = 0;\n\
             {label}: while let Some({name}) = $ && {counter} < 3 {{\n{counter} += 1;\n$}}"
        );
        Node::stmt(&template, vec![value, body])
    }

    fn endless(&mut self) -> Node {
        let (label, name) = (self.label(), self.fresh());
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

    /// A loop that gives a value.
    pub(in crate::generate) fn loop_with_value(&mut self, ty: Ty) -> Node {
        if self.loops >= MAX_LOOPS {
            return self.block(ty);
        }
        let (label, name) = (self.label(), self.fresh());
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
    pub(in crate::generate) fn labeled_block(&mut self, ty: Ty) -> Node {
        let label = self.label();
        let nodes = self.with_target(&label, false, ty, |this| {
            this.perhaps(|this| {
                this.scoped(|this| {
                    let body = this.body(2);
                    let condition = this.expr(Ty::Bool);
                    let early = this.break_value(ty);
                    let value = this.expr(ty);
                    vec![body, condition, early, value]
                })
            })
        });
        let template = format!("{label}: {{\n{{\n$}}\nif $ {{ break {label} ($); }}\n$\n}}");
        Node::expr(ty, &template, nodes)
    }
}
