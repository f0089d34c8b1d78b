//! Closures that end before the next await.

use crate::generate::scope::{Capture, Hold, Use, Var};
use crate::generate::{Generator, Node, Ty};

/// What is made of the parameter and of a captured local, `@`, of this type.
const HELD: [(Ty, &str); 6] = [
    (Ty::Int, "given ^ @"),
    (Ty::Text, "given + @.len() as i64"),
    (Ty::List, "@.get(given as usize).copied().unwrap_or(given)"),
    (Ty::Map, "@.values().sum::<i64>() - given"),
    (Ty::Texts, "@.iter().filter(|text| text.len() as i64 > given).count() as i64"),
    (Ty::Order, "@.lines.iter().map(|line| line.count * (given % 9)).sum::<i64>()"),
];

impl Generator {
    /// A closure that is held across awaits. What it captures does not change.
    pub(in crate::generate) fn held_closure(&mut self) -> Node {
        let name = self.fresh();
        let (ty, body) = self.rng.pick(&HELD);
        let index = self.scope.find_where(ty, Use::Read, &mut self.rng, Var::is_fixed);
        let body = match index {
            Some(index) => {
                self.scope.hold(index, Hold::Shared);
                body.replace('@', &self.scope.var(index).name)
            }
            None => "given ^ 5".to_owned(),
        };
        let nodes = self.scoped(|this| {
            let count = this.rng.below(3);
            let statements = this.statements(count);
            vec![statements, this.awaited(Ty::Int), this.expr(Ty::Int)]
        });
        let template =
            format!("{{ let {name} = |given: i64| {body};\n$note({name}($) ^ {name}($)); }}");
        Node::stmt(&template, nodes)
    }

    pub(super) fn closure(&mut self) -> Node {
        match self.rng.below(4) {
            0 => {
                // Called twice, and gone before the value is used.
                let body = self.closure_body();
                let template = "{ let twice = |x: i64| $; twice(1) ^ twice(4) }";
                Node::expr(Ty::Int, template, vec![body])
            }
            1 => {
                let Some(index) = self.scope.find(Ty::List, Use::Change, &mut self.rng) else {
                    return self.called();
                };
                let name = self.scope.var(index).name.clone();
                self.scope.hold(index, Hold::Exclusive);
                let body = self.closure_body();
                let template =
                    format!("{{ let mut add = |x: i64| {name}.push($); add(2); add(5); 7 }}");
                Node::expr(Ty::Int, &template, vec![body])
            }
            2 => {
                let list = self.expr(Ty::List);
                let body = self.closure_body();
                let template = "$.into_iter().map(|x: i64| $).fold(0_i64, |a, b| a ^ b)";
                Node::expr(Ty::Int, template, vec![list, body])
            }
            _ => self.called(),
        }
    }

    fn called(&mut self) -> Node {
        let body = self.closure_body();
        let argument = self.expr(Ty::Int);
        Node::expr(Ty::Int, "(|x: i64| $)($)", vec![body, argument])
    }

    /// The value of a closure with a parameter `x`.
    fn closure_body(&mut self) -> Node {
        let mark = self.scope.enter();
        let outer = self.scope.begin_capture(Capture::Read);
        let targets = std::mem::take(&mut self.targets);
        let returns = self.returns.take();
        self.scope.declare("x", Ty::Int, false);
        let body = self.without_await(|this| {
            this.without_exit(|this| this.perhaps(|this| this.expr(Ty::Int)))
        });
        self.targets = targets;
        self.returns = returns;
        self.scope.leave(mark);
        self.scope.end_capture(outer);
        body
    }
}
