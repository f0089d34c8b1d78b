//! Expressions of any type: choices, loops with values, blocks with early exits.

use crate::generate::{Generator, Node, Ty};

impl Generator {
    /// A construct that can have any type.
    pub(super) fn branching(&mut self, ty: Ty) -> Node {
        match self.rng.below(14) {
            0..=2 => {
                let mut count = 0;
                let (template, nodes) = self.chain(true, &mut |this| {
                    count += 1;
                    if count > 1 && this.rng.chance(10) {
                        this.leaving_block(ty)
                    } else {
                        this.block(ty)
                    }
                });
                Node::expr(ty, &template, nodes)
            }
            3..=5 => self.matching(ty),
            6 => {
                let block = self.block(ty);
                Node::expr(ty, "$", vec![block])
            }
            7 => self.within_expression(|this| this.loop_with_value(ty)),
            8 => self.within_expression(|this| this.labeled_block(ty)),
            9 if self.may_await => self.select_value(ty),
            10 if self.may_await => self.join_value(ty),
            11 if self.may_await => self.awaited_block(ty),
            12 if ty != Ty::Failing => {
                let value = self.within_expression(|this| this.expr(ty));
                Node::expr(ty, "note($)", vec![value])
            }
            _ => self.leaf(ty),
        }
    }
}
