//! Closures that end before the next await.

use crate::generate::scope::{Capture, Hold, Use};
use crate::generate::{Generator, Node, Ty};

impl Generator {
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
