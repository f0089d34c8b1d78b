//! Loops: over numbers, over owned and borrowed values, and until a condition holds.

use crate::generate::conditions::Bound;
use crate::generate::scope::{Hold, Use};
use crate::generate::{Generator, Node, Ty};

/// How deep loops nest.
pub(super) const MAX_LOOPS: usize = 2;

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
    pub(super) fn in_loop<T>(
        &mut self,
        label: &str,
        value: Ty,
        body: impl FnOnce(&mut Self) -> T,
    ) -> T {
        self.with_target(label, true, value, |this| this.in_closed_loop(body))
    }

    pub(super) fn repetition(&mut self) -> Node {
        if self.loops >= MAX_LOOPS {
            return self.change();
        }
        match self.rng.below(17) {
            16 => self.for_both(),
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

    pub(super) fn for_body(&mut self, label: &str, bound: &[(String, Ty, bool)]) -> Node {
        self.in_loop(label, Ty::Unit, |this| {
            this.scoped(|this| {
                this.declare_bound(bound);
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
        let body = self.for_body(&label, &[(name.clone(), Ty::Int, false)]);
        Node::stmt(&format!("{label}: for {name} in {range} {{\n$}}"), vec![end, body])
    }

    /// Over a collection that the loop consumes.
    pub(super) fn for_owned(&mut self) -> Node {
        let (label, name, other) = (self.label(), self.fresh(), self.fresh());
        let index = format!("({other} as i64)");
        let noisy = if self.scope.is_quiet() { 0 } else { 2 };
        let (ty, iterator, pattern, items): (_, &str, String, Bound) = match self
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
                (Ty::List, iterator, format!("mut {name}"), vec![(name.clone(), Ty::Int, true)])
            }
            2 => {
                let items = vec![(name.clone(), Ty::Int, false), (index.clone(), Ty::Int, false)];
                let iterator = "$.into_iter().zip(3..)";
                (Ty::List, iterator, format!("({name}, {other})"), items)
            }
            3 => {
                let items = vec![(name.clone(), Ty::Text, false), (index.clone(), Ty::Int, false)];
                let iterator = "$.into_iter().enumerate()";
                (Ty::Texts, iterator, format!("({other}, {name})"), items)
            }
            4 => {
                let items = vec![(other.clone(), Ty::Text, false), (name.clone(), Ty::Int, false)];
                (Ty::Map, "$", format!("({other}, {name})"), items)
            }
            5 => (Ty::Array, "$", name.clone(), vec![(name.clone(), Ty::Int, false)]),
            6 => (Ty::MaybeText, "$", name.clone(), vec![(name.clone(), Ty::Text, false)]),
            7 => {
                let items = vec![(name.clone(), Ty::Text, true)];
                (Ty::Order, "($.lines)", format!("Line {{ sku: mut {name}, .. }}"), items)
            }
            8 => (Ty::Texts, "$", format!("mut {name}"), vec![(name.clone(), Ty::Text, true)]),
            9 => (Ty::Noisies, "$", name.clone(), vec![(name.clone(), Ty::Noisy, false)]),
            _ => {
                let iterator = "$.into_iter().rev()";
                (Ty::Noisies, iterator, name.clone(), vec![(name.clone(), Ty::Noisy, false)])
            }
        };
        let value = self.expr(ty);
        let body = self.for_body(&label, &items);
        Node::stmt(&format!("{label}: for {pattern} in {iterator} {{\n$}}"), vec![value, body])
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
        let (label, name, counter) = (self.label(), self.fresh(), self.fresh());
        match self.rng.below(4) {
            0 => self.while_there_are(&label, &name),
            1 => {
                // The body may make the list longer, for a while.
                let (list, first) = (self.fresh(), self.expr(Ty::List));
                let more = self.in_closed_loop(|this| this.expr(Ty::Int));
                let body = self.for_body(&label, &[(name.clone(), Ty::Int, true)]);
                let template = format!(
                    "let (mut {list}, mut {counter}) = ($, 0);\n\
                     {label}: while let Some(mut {name}) = {list}.pop() {{\n{counter} += 1;\n\
                     if {counter} < 4 {{ {list}.push($); }}\n$}}"
                );
                Node::stmt(&template, vec![first, more, body])
            }
            choice => {
                let lent = if choice == 2 { self.in_closed_loop(Self::lent) } else { None };
                let (pattern, value, bound) = lent.unwrap_or_else(|| {
                    let value = self.in_closed_loop(|this| this.expr(Ty::Maybe));
                    (format!("Some({name})"), value, vec![(name, Ty::Int, false)])
                });
                let body = self.for_body(&label, &bound);
                let template = format!(
                    "let mut {counter} = 0;\n\
                     {label}: while let {pattern} = $ && {counter} < 3 {{\n{counter} += 1;\n$}}"
                );
                Node::stmt(&template, vec![value, body])
            }
        }
    }

    /// While something is left of what the body may read, but not make longer.
    fn while_there_are(&mut self, label: &str, name: &str) -> Node {
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
        let body = self.for_body(label, &[(name.to_owned(), item, true)]);
        self.scope.release(mark);
        let template = format!(
            "let mut {list} = $;\n{label}: while let Some(mut {name}) = {list}.{with} {{\n$}}"
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
