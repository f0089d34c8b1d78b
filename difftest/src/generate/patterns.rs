//! Matches, with patterns by value of every kind.

use super::{Generator, Node, Ty};

/// An arm: the pattern with its guard, and what it binds.
type Arm = (&'static str, &'static [(&'static str, Ty)]);

const INT_ARMS: [&[Arm]; 3] = [
    &[("0..=9", &[]), ("high @ 60..", &[("high", Ty::Int)]), ("other", &[("other", Ty::Int)])],
    &[("x if x % 2 == 0", &[("x", Ty::Int)]), ("1 | 3 | 5", &[]), ("_", &[])],
    &[("i64::MIN..0", &[]), ("x @ (0 | 2 | 4) if note(x) < 4", &[("x", Ty::Int)]), ("_", &[])],
];

const SHAPE_ARMS: [&[Arm]; 3] = [
    &[
        ("Shape::Named(name, inner)", &[("name", Ty::Text)]),
        ("Shape::Circle { radius }", &[("radius", Ty::Int)]),
        ("other", &[("other", Ty::Shape)]),
    ],
    &[
        ("Shape::Rect(a, _) | Shape::Circle { radius: a } if a > 2", &[("a", Ty::Int)]),
        ("Shape::Named(mut name, _)", &[("name", Ty::Text)]),
        ("whole @ Shape::Rect(..)", &[("whole", Ty::Shape)]),
        ("_", &[]),
    ],
    &[
        ("Shape::Named(name, inner) if *inner == Shape::Point", &[("name", Ty::Text)]),
        ("Shape::Rect(a @ 1..=8, b)", &[("a", Ty::Int), ("b", Ty::Int)]),
        ("_", &[]),
    ],
];

const OUTCOME_ARMS: [&[Arm]; 2] = [
    &[
        ("Ok(value)", &[("value", Ty::Int)]),
        ("Err(ActivityError::Failed(Refused { code }))", &[("code", Ty::Int)]),
        ("Err(_)", &[]),
    ],
    &[
        ("Ok(value @ 100..=104)", &[("value", Ty::Int)]),
        ("kept @ Ok(_)", &[("kept", Ty::Outcome)]),
        ("Err(error)", &[]),
    ],
];

const MAYBE_TEXT_ARMS: [&[Arm]; 2] = [
    &[("Some(text) if text.len() > 6", &[("text", Ty::Text)]), ("Some(_)", &[]), ("None", &[])],
    &[("Some(text)", &[("text", Ty::Text)]), ("None", &[])],
];

const PAIR_ARMS: [&[Arm]; 2] = [
    &[
        ("(0..=20, text)", &[("text", Ty::Text)]),
        ("(number, text)", &[("number", Ty::Int), ("text", Ty::Text)]),
    ],
    &[("(number, _) if number > 7", &[("number", Ty::Int)]), ("(.., text)", &[("text", Ty::Text)])],
];

const LIST_ARMS: [&[Arm]; 1] = [&[
    ("[]", &[]),
    ("&[only]", &[("only", Ty::Int)]),
    ("&[first, .., last]", &[("first", Ty::Int), ("last", Ty::Int)]),
]];

impl Generator {
    /// A `match` that gives this type.
    pub(super) fn matching(&mut self, ty: Ty) -> Node {
        let (scrutinee, arms): (Node, &[Arm]) = match self.rng.below(7) {
            0 | 1 => (self.expr(Ty::Int), self.rng.pick(&INT_ARMS)),
            2 => (self.expr(Ty::Shape), self.rng.pick(&SHAPE_ARMS)),
            3 => (self.expr(Ty::Outcome), self.rng.pick(&OUTCOME_ARMS)),
            4 => (self.expr(Ty::MaybeText), self.rng.pick(&MAYBE_TEXT_ARMS)),
            5 => (self.expr(Ty::Pair), self.rng.pick(&PAIR_ARMS)),
            _ => {
                let list = self.expr(Ty::List);
                // A slice of a temporary would be a borrow across the awaits of the arms.
                let arms = LIST_ARMS[0];
                let node = self.arms(ty, arms);
                return Node::expr(
                    ty,
                    "{ let items = $; match items.as_slice() { $ } }",
                    vec![list, node],
                );
            }
        };
        let arms = self.arms(ty, arms);
        Node::expr(ty, "match $ {\n$}", vec![scrutinee, arms])
    }

    fn arms(&mut self, ty: Ty, arms: &[Arm]) -> Node {
        let nodes = self.alternatives(arms.len(), |this, index| {
            let (pattern, bindings) = arms[index];
            let mark = this.scope.enter();
            for (name, ty) in bindings {
                let mutable = pattern.contains(&format!("mut {name}"));
                this.scope.declare((*name).to_owned(), *ty, mutable, true);
            }
            let body = if this.rng.chance(60) { this.block(ty) } else { this.expr(ty) };
            this.scope.leave(mark);
            Node::expr(Ty::Unit, &format!("{pattern} => $,\n"), vec![body])
        });
        let template = "$".repeat(nodes.len());
        Node::expr(Ty::Unit, &template, nodes)
    }
}
