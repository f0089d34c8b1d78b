//! Matches, with patterns by value of every kind.

use super::refusals::marker;
use super::scope::Capture;
use super::{Generator, Node, Ty};

/// An arm: the pattern, whether it may have a guard, and its bindings.
pub(super) type Arm = (&'static str, &'static [(&'static str, Ty)]);

const INT_ARMS: [&[Arm]; 4] = [
    &[("0..=9", &[]), ("high @ 60..", &[("high", Ty::Int)]), ("other", &[("other", Ty::Int)])],
    &[("x if x % 2 == 0", &[("x", Ty::Int)]), ("1 | 3 | 5", &[]), ("_", &[])],
    &[("i64::MIN..0", &[]), ("x @ (0 | 2 | 4) if note(x) < 4", &[("x", Ty::Int)]), ("_", &[])],
    &[
        ("x if x % 2 == 0", &[("x", Ty::Int)]),
        ("x @ 1..=50 if note(x) > 2 && x % 2 == 0", &[("x", Ty::Int)]),
        ("mut x", &[("x", Ty::Int)]),
    ],
];

const SHAPE_ARMS: [&[Arm]; 5] = [
    &[
        ("Shape::Named(name, inner)", &[("name", Ty::Text), ("inner", Ty::Boxed)]),
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
        ("Shape::Named(name, box_of) if *box_of == Shape::Point", &[("name", Ty::Text)]),
        ("Shape::Rect(a @ 1..=8, b)", &[("a", Ty::Int), ("b", Ty::Int)]),
        ("_", &[]),
    ],
    &[
        (
            "Shape::Named(name, inner) if name.len() as i64 % 2 == 0",
            &[("name", Ty::Text), ("inner", Ty::Boxed)],
        ),
        ("Shape::Rect(a, b) if a < b", &[("a", Ty::Int), ("b", Ty::Int)]),
        ("whole @ (Shape::Rect(..) | Shape::Point)", &[("whole", Ty::Shape)]),
        ("mut rest", &[("rest", Ty::Shape)]),
    ],
    &[
        ("Shape::Circle { radius: 0..=2 } | Shape::Point", &[]),
        ("Shape::Circle { radius: r @ (3 | 5 | 7) }", &[("r", Ty::Int)]),
        ("Shape::Named(.., boxed)", &[("boxed", Ty::Boxed)]),
        ("Shape::Circle { radius: a } | Shape::Rect(a, ..)", &[("a", Ty::Int)]),
    ],
];

const OUTCOME_ARMS: [&[Arm]; 3] = [
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
    &[
        (
            "Ok(a @ ..=110) | Err(ActivityError::Failed(Refused { code: a })) if a % 2 == 0",
            &[("a", Ty::Int)],
        ),
        ("whole @ (Ok(_) | Err(ActivityError::TimedOut(_)))", &[("whole", Ty::Outcome)]),
        ("_", &[]),
    ],
];

const FETCHED_ARMS: [&[Arm]; 2] = [
    &[
        ("Ok(text) if text.len() > 3", &[("text", Ty::Text)]),
        ("Err(ActivityError::Failed(ParseFailed::Unexpected(c)))", &[("c", Ty::Char)]),
        ("Ok(mut text)", &[("text", Ty::Text)]),
        ("Err(_)", &[]),
    ],
    &[("Err(_)", &[]), ("kept", &[("kept", Ty::Fetched)])],
];

const MAYBE_TEXT_ARMS: [&[Arm]; 3] = [
    &[("Some(text) if text.len() > 6", &[("text", Ty::Text)]), ("Some(_)", &[]), ("None", &[])],
    &[("Some(text)", &[("text", Ty::Text)]), ("None", &[])],
    &[
        ("Some(text) if text.len() % 2 == 0", &[("text", Ty::Text)]),
        ("some @ Some(_)", &[("some", Ty::MaybeText)]),
        ("None", &[]),
    ],
];

const PAIR_ARMS: [&[Arm]; 3] = [
    &[
        ("(0..=20, text)", &[("text", Ty::Text)]),
        ("(number, text)", &[("number", Ty::Int), ("text", Ty::Text)]),
    ],
    &[("(number, _) if number > 7", &[("number", Ty::Int)]), ("(.., text)", &[("text", Ty::Text)])],
    &[
        ("(a @ (1 | 3 | 4), mut text) if a % 2 == 0", &[("a", Ty::Int), ("text", Ty::Text)]),
        ("whole @ (.., _)", &[("whole", Ty::Pair)]),
    ],
];

const ARRAY_ARMS: [&[Arm]; 2] = [
    &[
        ("[0, tail @ ..]", &[]),
        ("[first, middle @ 1..=20, _]", &[("first", Ty::Int), ("middle", Ty::Int)]),
        ("whole @ [.., last] if last > 3", &[("whole", Ty::Array), ("last", Ty::Int)]),
        ("[.., last]", &[("last", Ty::Int)]),
    ],
    &[
        ("[a, .., b] if (a + b) % 2 == 0", &[("a", Ty::Int), ("b", Ty::Int)]),
        ("mut whole", &[("whole", Ty::Array)]),
    ],
];

const NESTED_ARMS: [&[Arm]; 2] = [
    &[
        ("(Some(1..=20), Shape::Rect(a, b))", &[("a", Ty::Int), ("b", Ty::Int)]),
        ("(Some(x), Shape::Named(name, _))", &[("x", Ty::Int), ("name", Ty::Text)]),
        ("(x @ None, form) | (x @ Some(_), form)", &[("x", Ty::Maybe), ("form", Ty::Shape)]),
    ],
    &[
        (
            "(maybe, Shape::Named(name, boxed)) if maybe.is_some()",
            &[("maybe", Ty::Maybe), ("name", Ty::Text), ("boxed", Ty::Boxed)],
        ),
        ("(Some(x), Shape::Circle { radius: y }) if x < y", &[("x", Ty::Int), ("y", Ty::Int)]),
        ("(_, form @ (Shape::Point | Shape::Rect(..)))", &[("form", Ty::Shape)]),
        ("both", &[]),
    ],
];

const DUO_ARMS: [&[Arm]; 2] = [
    &[("(a, _) if a.name().len() > 7", &[("a", Ty::Noisy)]), ("(.., b)", &[("b", Ty::Noisy)])],
    &[("(a, mut b)", &[("a", Ty::Noisy), ("b", Ty::Noisy)])],
];

const MAYBE_NOISY_ARMS: [&[Arm]; 2] = [
    &[("Some(noisy)", &[("noisy", Ty::Noisy)]), ("None", &[])],
    &[("Some(_)", &[]), ("none", &[("none", Ty::MaybeNoisy)])],
];

const LIST_ARMS: [&[Arm]; 1] = [&[
    ("[]", &[]),
    ("&[only]", &[("only", Ty::Int)]),
    ("&[first, .., last]", &[("first", Ty::Int), ("last", Ty::Int)]),
]];

const FOUND_ARMS: [&[Arm]; 2] = [
    &[
        ("Ok(Some(x @ 1..=40)) if x % 2 == 0", &[("x", Ty::Int)]),
        ("Ok(Some(x))", &[("x", Ty::Int)]),
        ("Err(ActivityError::Failed(Refused { code }))", &[("code", Ty::Int)]),
        ("Ok(None) | Err(_)", &[]),
    ],
    &[
        ("Err(ActivityError::Failed(Refused { code: x })) | Ok(Some(x))", &[("x", Ty::Int)]),
        ("Ok(x @ None)", &[("x", Ty::Maybe)]),
        ("_", &[]),
    ],
];

impl Generator {
    /// A `match` that gives this type.
    pub(super) fn matching(&mut self, ty: Ty) -> Node {
        if self.rng.chance(25) {
            return self.matching_lent(ty);
        }
        let noisy = if self.scope.is_quiet() { 0 } else { 2 };
        let (scrutinee, arms): (Node, &[Arm]) = match self.rng.below(13 + noisy) {
            0..=2 => (self.expr(Ty::Int), self.rng.pick(&INT_ARMS)),
            3 | 4 => (self.expr(Ty::Shape), self.rng.pick(&SHAPE_ARMS)),
            5 => (self.expr(Ty::Outcome), self.rng.pick(&OUTCOME_ARMS)),
            6 => (self.expr(Ty::MaybeText), self.rng.pick(&MAYBE_TEXT_ARMS)),
            7 => (self.expr(Ty::Pair), self.rng.pick(&PAIR_ARMS)),
            8 => (self.expr(Ty::Array), self.rng.pick(&ARRAY_ARMS)),
            9 => (self.expr(Ty::Fetched), self.rng.pick(&FETCHED_ARMS)),
            10 => {
                let (maybe, shape) = (self.expr(Ty::Maybe), self.expr(Ty::Shape));
                let pair = Node::expr(Ty::Unit, "($, $)", vec![maybe, shape]);
                (pair, self.rng.pick(&NESTED_ARMS))
            }
            11 if self.may_await => {
                (self.of(Ty::Unit, "try_find($).await", &[Ty::Int]), self.rng.pick(&FOUND_ARMS))
            }
            11 | 12 => {
                let list = self.expr(Ty::List);
                // A slice of a temporary would be a borrow across the awaits of the arms.
                let arms = self.arms(ty, LIST_ARMS[0], false);
                let template = "{ let items = $; match items.as_slice() { $ } }";
                return Node::expr(ty, template, vec![list, arms]);
            }
            13 => (self.expr(Ty::Duo), self.rng.pick(&DUO_ARMS)),
            _ => (self.expr(Ty::MaybeNoisy), self.rng.pick(&MAYBE_NOISY_ARMS)),
        };
        let arms = self.arms(ty, arms, false);
        Node::expr(ty, "match $ {\n$}", vec![scrutinee, arms])
    }

    /// These arms, which may change what they bind if that is lent so.
    pub(super) fn arms(&mut self, ty: Ty, arms: &[Arm], is_lent_mutably: bool) -> Node {
        // Whether the others may be given guards, because the last one takes everything.
        let last = arms.last().map_or("", |(pattern, _)| pattern).trim_start_matches("mut ");
        let is_certain = last.chars().all(|c| c.is_lowercase() || c == '_');
        let nodes = self.alternatives(arms.len(), |this, index| {
            let (pattern, bindings) = arms[index];
            let mark = this.scope.enter();
            let may_fail = is_certain && index + 1 < arms.len() && !pattern.contains(" if ");
            let guard = (may_fail && this.rng.chance(20)).then(|| this.guard());
            for (name, ty) in bindings {
                let mutable = is_lent_mutably || pattern.contains(&format!("mut {name}"));
                this.scope.bind(name, *ty, mutable);
            }
            let body = match this.rng.below(10) {
                0..=5 => this.block(ty),
                6 if index > 0 => this.leaving_block(ty),
                _ => this.expr(ty),
            };
            this.scope.leave(mark);
            let has_guard = guard.is_some() || pattern.contains(" if ");
            let binds = has_alternatives(pattern) && !bindings.is_empty();
            let is_refusable = binds && (has_guard || is_lent_mutably);
            let marker = marker(is_refusable);
            match guard {
                Some(guard) => {
                    let template = format!("{marker}{pattern} if $ => $,\n");
                    Node::expr(Ty::Unit, &template, vec![guard, body])
                }
                None => Node::expr(Ty::Unit, &format!("{marker}{pattern} => $,\n"), vec![body]),
            }
        });
        let template = "$".repeat(nodes.len());
        Node::expr(Ty::Unit, &template, nodes)
    }

    /// A guard, which may not change anything.
    fn guard(&mut self) -> Node {
        let outside = self.scope.begin_capture(Capture::Read);
        let guard = self.without_exit(|this| {
            this.perhaps(|this| this.without_await(|this| this.expr(Ty::Bool)))
        });
        self.scope.end_capture(outside);
        guard
    }
}

/// Whether the whole pattern is a choice of others.
pub(super) fn has_alternatives(pattern: &str) -> bool {
    let mut depth = 0;
    pattern.chars().any(|c| {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            _ => {}
        }
        c == '|' && depth == 0
    })
}
