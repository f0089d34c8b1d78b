//! Operands that are copied, and that a later operand changes.

use crate::generate::scope::{Hold, Use};
use crate::generate::{Generator, Node, Ty};

/// What is made of the old value of a number, `@`, and what comes after it, `#`.
/// A method can be called on nothing but a number whose type is known before.
const NUMBERS: [&str; 6] = [
    "@ + #",
    "@ ^ #",
    "{ let _: i64 = @; @.max(#) }",
    "{ let _: i64 = @; @.saturating_sub(#) }",
    "i64::from(@ < #)",
    "{ let _: i64 = @; @.min(#) }",
];
const COMPARED: [&str; 6] = ["@ < #", "@ == #", "# > @", "@ >= #", "@ != #", "@.eq(&@) & (@ <= #)"];

/// How a number is changed by the value of an expression, by a borrow `%` of it. `~` stands for the sign `@`.
const CHANGES: [&str; 7] = [
    "@ += $;",
    "@ = $;",
    "let ref mut % = @; *% ^= $;",
    "match @ { ref mut % => *% -= $ }",
    "if let ref mut % ~ 0.. = @ { *% = 9; note($); }",
    "let % = &mut @; *% |= $;",
    "@ = 7; note($);",
];

/// How an `Option` is changed, and what its old value gives.
const OPTIONS: [&str; 4] = [
    "@.unwrap_or({ @ = None; $ })",
    "@.unwrap_or({ note(@.take()); $ })",
    "@.map_or({ if let Some(ref mut %) = @ { *% += 3; } $ }, |x| x ^ 1)",
    "@.unwrap_or({ @ = Some(5); $ })",
];

impl Generator {
    /// A number or truth value made of a local and of an operand that changes it.
    pub(super) fn changed_operand(&mut self, ty: Ty) -> Node {
        let of = match self.rng.below(4) {
            0 if ty == Ty::Int => Ty::Maybe,
            1 => Ty::Array,
            _ => Ty::Int,
        };
        let Some(index) = self.scope.find(of, Use::Change, &mut self.rng) else {
            return self.leaf(ty);
        };
        let name = self.scope.var(index).name.clone();
        let mark = self.scope.enter();
        self.scope.hold(index, Hold::Exclusive);
        let template = if of == Ty::Maybe {
            self.rng.pick(&OPTIONS).replace('@', &name)
        } else {
            let place = if of == Ty::Array { format!("{name}[1]") } else { name };
            let uses = if ty == Ty::Int { &NUMBERS } else { &COMPARED };
            let change = self.rng.pick(&CHANGES);
            let later = format!("{{ {change} $ }}");
            self.rng.pick(uses).replace('#', &later).replace('@', &place)
        };
        let template = template.replace('%', &self.fresh()).replace('~', "@");
        let count = template.matches('$').count();
        let nodes = (0..count).map(|_| self.awaited_or_not()).collect();
        self.scope.release(mark);
        Node::expr(ty, &format!("({template})"), nodes)
    }

    fn awaited_or_not(&mut self) -> Node {
        if self.rng.chance(60) { self.awaited(Ty::Int) } else { self.expr(Ty::Int) }
    }
}
