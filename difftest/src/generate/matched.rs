//! Matches on borrowed parts of locals, and their arms.

use super::Ty;
use super::lent::{AT, KEY};
use super::patterns::Arm;

/// A `match` on what a local lends: its type, whether it is changed, what is matched, what that has in
/// it, and the arms.
pub(super) type Matched = (Ty, bool, &'static str, &'static [Ty], &'static [Arm]);

pub(super) const MATCHED: [Matched; 19] = [
    (
        Ty::Shape,
        true,
        "&mut @",
        &[],
        &[
            ("Shape::Named(name, _) if name.len() as i64 % 2 == 0", &[("(*name)", Ty::Text)]),
            (
                "Shape::Rect(a, _) | Shape::Circle { radius: a } if *a % 2 == 0",
                &[("(*a)", Ty::Int)],
            ),
            ("_", &[]),
        ],
    ),
    (
        Ty::List,
        true,
        "@.get_mut(i64::rem_euclid($, 3) as usize)",
        AT,
        &[
            ("Some(x @ 1..=50) if *x % 2 == 0", &[("(*x)", Ty::Int)]),
            ("Some(x)", &[("(*x)", Ty::Int)]),
            ("None", &[]),
        ],
    ),
    (
        Ty::MaybeText,
        true,
        "@.as_mut()",
        &[],
        &[("Some(text) if text.len() as i64 % 2 == 0", &[("(*text)", Ty::Text)]), ("_", &[])],
    ),
    (
        Ty::List,
        false,
        "@[..]",
        &[],
        &[
            ("[first, ..] if first % 2 == 0", &[("first", Ty::Int)]),
            ("[.., a @ 1..=20]", &[("a", Ty::Int)]),
            ("_", &[]),
        ],
    ),
    (
        Ty::Order,
        false,
        "@.lines[..]",
        &[],
        &[
            ("[Line { count, .. }, ..] if count % 2 == 0", &[("count", Ty::Int)]),
            ("[.., Line { ref sku, .. }]", &[("(*sku)", Ty::Text)]),
            ("_", &[]),
        ],
    ),
    (
        Ty::Shape,
        false,
        "&@",
        &[],
        &[
            ("Shape::Named(name, _)", &[("(*name)", Ty::Text)]),
            ("Shape::Circle { radius } if *radius % 2 == 0", &[("(*radius)", Ty::Int)]),
            ("Shape::Rect(a, b) | Shape::Rect(b, a)", &[("(*a)", Ty::Int), ("(*b)", Ty::Int)]),
            ("_", &[]),
        ],
    ),
    (
        Ty::Shape,
        false,
        "&@",
        &[],
        &[
            ("Shape::Named(.., inner) if **inner == Shape::Point", &[("(**inner)", Ty::Shape)]),
            ("Shape::Rect(a @ 1..=8, _) | Shape::Circle { radius: a }", &[("(*a)", Ty::Int)]),
            ("whole @ Shape::Named(..)", &[("(*whole)", Ty::Shape)]),
            ("_", &[]),
        ],
    ),
    (
        Ty::Shape,
        true,
        "&mut @",
        &[],
        &[
            ("Shape::Named(name, inner)", &[("(*name)", Ty::Text), ("(**inner)", Ty::Shape)]),
            ("Shape::Rect(a, _) | Shape::Circle { radius: a }", &[("(*a)", Ty::Int)]),
            ("Shape::Point", &[]),
        ],
    ),
    (
        Ty::List,
        false,
        "@.as_slice()",
        &[],
        &[
            ("[] | [_]", &[]),
            (
                "[first, middle @ .., last] if *first % 2 == 0",
                &[("(*first)", Ty::Int), ("(middle.len() as i64)", Ty::Int), ("(*last)", Ty::Int)],
            ),
            ("[1..=9, rest @ ..]", &[("(rest.len() as i64)", Ty::Int)]),
            ("whole @ [.., last]", &[("(whole.len() as i64)", Ty::Int), ("(*last)", Ty::Int)]),
        ],
    ),
    (
        Ty::List,
        false,
        "@.iter().find(|x| **x % 3 == 0)",
        &[],
        &[
            ("Some(x) if *x > 9", &[("(*x)", Ty::Int)]),
            ("Some(0..=9)", &[]),
            ("found", &[("(found.is_some() as i64)", Ty::Int)]),
        ],
    ),
    (
        Ty::List,
        true,
        "@.as_mut_slice()",
        &[],
        &[
            ("[first, .., last]", &[("(*first)", Ty::Int), ("(*last)", Ty::Int)]),
            ("[only]", &[("(*only)", Ty::Int)]),
            ("_", &[]),
        ],
    ),
    (
        Ty::Map,
        false,
        "@.get(&*$)",
        KEY,
        &[("Some(1..=20)", &[]), ("Some(x)", &[("(*x)", Ty::Int)]), ("None", &[])],
    ),
    (Ty::Map, true, "@.get_mut(&*$)", KEY, &[("Some(x)", &[("(*x)", Ty::Int)]), ("None", &[])]),
    (
        Ty::MaybeText,
        false,
        "&@",
        &[],
        &[
            ("Some(text) if text.len() > 6", &[("(*text)", Ty::Text)]),
            ("Some(text)", &[("(*text)", Ty::Text)]),
            ("None", &[]),
        ],
    ),
    (
        Ty::MaybeText,
        false,
        "@.as_deref()",
        &[],
        &[
            ("Some(\"item 3\" | \"item 7\")", &[]),
            ("Some(text) if text.len() as i64 % 2 == 0", &[("text", Ty::Str)]),
            ("_", &[]),
        ],
    ),
    (
        Ty::Texts,
        false,
        "@.split_first()",
        &[],
        &[
            ("Some((only, []))", &[("(*only)", Ty::Text)]),
            ("Some((first, rest))", &[("(*first)", Ty::Text), ("(rest.len() as i64)", Ty::Int)]),
            ("None", &[]),
        ],
    ),
    (
        Ty::Order,
        false,
        "&@",
        &[],
        &[
            ("Order { id: 1 | 2 | 3, customer, .. }", &[("(*customer)", Ty::Text)]),
            ("Order { lines, customer, .. } if lines.is_empty()", &[("(*customer)", Ty::Text)]),
            ("Order { id, lines, .. }", &[("(*id)", Ty::Int), ("(lines.len() as i64)", Ty::Int)]),
        ],
    ),
    (
        Ty::Pair,
        true,
        "&mut @",
        &[],
        &[
            ("(n @ 1..=50, text)", &[("(*n)", Ty::Int), ("(*text)", Ty::Text)]),
            ("(.., text)", &[("(*text)", Ty::Text)]),
        ],
    ),
    (
        Ty::Array,
        false,
        "&@",
        &[],
        &[
            ("[a, .., 1..=20]", &[("(*a)", Ty::Int)]),
            ("[_, rest @ ..]", &[("(rest.len() as i64)", Ty::Int)]),
        ],
    ),
];
