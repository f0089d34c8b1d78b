//! `break`, `continue` and `return`.

use crate::generate::{Generator, Node, Target, Ty};

impl Generator {
    /// An expression that never has a value. There must be something to leave.
    pub(super) fn jump(&mut self) -> Node {
        if !self.targets.is_empty() && (self.returns.is_none() || self.rng.chance(70)) {
            let index = self.rng.below(self.targets.len());
            let Target { label, is_loop, value, .. } = self.targets[index].clone();
            if is_loop && self.rng.chance(40) {
                return Node::expr(Ty::Unit, &format!("continue {label}"), vec![]);
            }
            let value = (value != Ty::Unit).then(|| self.expr(value));
            self.note_break(index);
            let given = if value.is_some() { " ($)" } else { "" };
            return Node::expr(Ty::Unit, &format!("break {label}{given}"), Vec::from_iter(value));
        }
        match self.returns {
            Some(Ty::Failing) if self.rng.chance(40) => {
                let text = self.expr(Ty::Text);
                Node::expr(Ty::Unit, "bail!(\"left with {}\", $)", vec![text])
            }
            Some(returns) => {
                let value = self.expr(returns);
                Node::expr(Ty::Unit, "return $", vec![value])
            }
            None => Node::expr(Ty::Unit, "unreachable!()", vec![]),
        }
    }

    /// Notes that control goes from here to the end of a target.
    fn note_break(&mut self, target: usize) {
        self.scope.note_moved(&mut self.targets[target].alive);
    }

    /// What a `break` gives, which goes with it to the end of the innermost target and may not happen.
    pub(super) fn break_value(&mut self, ty: Ty) -> Node {
        self.perhaps(|this| {
            let value = this.expr(ty);
            this.note_break(this.targets.len() - 1);
            value
        })
    }

    pub(super) fn may_jump(&self) -> bool {
        self.may_exit && (self.returns.is_some() || !self.targets.is_empty())
    }

    /// A block of this type that is left before its end, if that may be.
    pub(in crate::generate) fn leaving_block(&mut self, ty: Ty) -> Node {
        if !self.may_jump() {
            return self.block(ty);
        }
        self.scoped(|this| {
            this.perhaps(|this| {
                let count = this.rng.below(3);
                let statements = this.statements(count);
                let jump = this.jump();
                Node::expr(ty, "{\n$$\n}", vec![statements, jump])
            })
        })
    }

    /// A conditional `break`, `continue` or `return`.
    pub(super) fn leaving(&mut self) -> Node {
        if !self.may_jump() {
            return self.declaration();
        }
        let condition = self.expr(Ty::Bool);
        // The returned expression can use the variables of the statements before it.
        let body = self.leaving_block(Ty::Unit);
        Node::stmt("if $ $", vec![condition, body])
    }
}
