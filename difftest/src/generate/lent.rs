//! Borrows from locals: lookups, and borrows by patterns.

use super::conditions::Bound;
use super::matched::MATCHED;
use super::patterns::has_alternatives;
use super::refusals::marker;
use super::scope::{Hold, Use};
use super::{Generator, Node, Ty};

/// What a local of a type lends to a pattern that may not match.
#[derive(Clone, Copy)]
struct Lent {
    of: Ty,
    mutable: bool,
    /// `@` is the local, and each `$` an expression of the type beside it.
    value: &'static str,
    types: &'static [Ty],
    /// `#` and `%` are new names.
    pattern: &'static str,
    binds: &'static [(&'static str, Ty)],
}

type Binds = &'static [(&'static str, Ty)];

const fn reads(
    of: Ty,
    value: &'static str,
    types: &'static [Ty],
    pattern: &'static str,
    binds: Binds,
) -> Lent {
    Lent { of, mutable: false, value, types, pattern, binds }
}

const fn changes(
    of: Ty,
    value: &'static str,
    types: &'static [Ty],
    pattern: &'static str,
    binds: Binds,
) -> Lent {
    Lent { of, mutable: true, value, types, pattern, binds }
}

const NUMBER: Binds = &[("(*#)", Ty::Int)];
const TEXT: Binds = &[("(*#)", Ty::Text)];
const KEY_AND_NUMBER: Binds = &[("(*#)", Ty::Text), ("(*%)", Ty::Int)];
const FIRST_AND_REST: Binds = &[("(*#)", Ty::Int), ("(%.len() as i64)", Ty::Int)];
pub(super) const AT: &[Ty] = &[Ty::Int];
pub(super) const KEY: &[Ty] = &[Ty::Text];

const LENT: [Lent; 37] = [
    reads(Ty::List, "@.get(i64::rem_euclid($, 3) as usize)", AT, "Some(#)", NUMBER),
    reads(Ty::List, "@.iter().find(|x| **x > 4)", &[], "Some(&#)", &[("#", Ty::Int)]),
    reads(Ty::List, "@.iter().max_by_key(|x| **x % 7)", &[], "Some(#)", NUMBER),
    reads(Ty::List, "@.as_slice()", &[], "[#, % @ ..]", FIRST_AND_REST),
    reads(Ty::List, "@.split_first()", &[], "Some((#, %))", FIRST_AND_REST),
    changes(Ty::List, "@.last_mut()", &[], "Some(#)", NUMBER),
    changes(Ty::List, "@.get_mut(i64::rem_euclid($, 3) as usize)", AT, "Some(#)", NUMBER),
    changes(Ty::List, "@.iter_mut().find(|x| **x % 2 == 0)", &[], "Some(#)", NUMBER),
    changes(
        Ty::List,
        "@.as_mut_slice()",
        &[],
        "[#, .., %]",
        &[("(*#)", Ty::Int), ("(*%)", Ty::Int)],
    ),
    reads(Ty::Map, "@.get(&*$)", KEY, "Some(#)", NUMBER),
    reads(Ty::Map, "@.first_key_value()", &[], "Some((#, %))", KEY_AND_NUMBER),
    reads(Ty::Map, "@.iter().next_back()", &[], "Some((#, %))", KEY_AND_NUMBER),
    changes(Ty::Map, "@.get_mut(&*$)", KEY, "Some(#)", NUMBER),
    changes(Ty::Map, "@.values_mut().min_by_key(|x| **x % 7)", &[], "Some(#)", NUMBER),
    reads(Ty::Texts, "@.iter().max_by_key(|text| text.len())", &[], "Some(#)", TEXT),
    reads(Ty::Texts, "@.first().map(String::as_str)", &[], "Some(#)", &[("#", Ty::Str)]),
    reads(Ty::Texts, "@.get(i64::rem_euclid($, 3) as usize)", AT, "Some(#)", TEXT),
    changes(Ty::Texts, "@.first_mut()", &[], "Some(#)", TEXT),
    reads(Ty::Text, "@.split_once('e')", &[], "Some((#, %))", &[("#", Ty::Str), ("%", Ty::Str)]),
    reads(Ty::Text, "@.trim().strip_prefix('<')", &[], "Some(#)", &[("#", Ty::Str)]),
    reads(Ty::MaybeText, "&@", &[], "Some(#)", TEXT),
    reads(Ty::MaybeText, "@.as_deref()", &[], "Some(#)", &[("#", Ty::Str)]),
    changes(Ty::MaybeText, "&mut @", &[], "Some(#)", TEXT),
    changes(Ty::MaybeText, "@.as_mut()", &[], "Some(#)", TEXT),
    reads(
        Ty::Order,
        "&@",
        &[],
        "Order { id: 0..=60, customer: #, lines: % }",
        &[("(*#)", Ty::Text), ("(%.len() as i64)", Ty::Int)],
    ),
    reads(Ty::Order, "@.lines.first()", &[], "Some(Line { sku: #, count: % })", KEY_AND_NUMBER),
    changes(
        Ty::Order,
        "@.lines.iter_mut().find(|line| line.count > 1)",
        &[],
        "Some(#)",
        &[("#.count", Ty::Int), ("#.sku", Ty::Text)],
    ),
    changes(
        Ty::Order,
        "@.lines.get_mut(i64::rem_euclid($, 3) as usize)",
        AT,
        "Some(Line { sku: #, .. })",
        TEXT,
    ),
    reads(Ty::Shape, "&@", &[], "Shape::Named(#, %)", &[("(*#)", Ty::Text), ("(**%)", Ty::Shape)]),
    reads(Ty::Shape, "@", &[], "Shape::Named(ref #, _)", TEXT),
    changes(Ty::Shape, "&mut @", &[], "Shape::Named(#, _)", TEXT),
    changes(
        Ty::Shape,
        "@",
        &[],
        "(Shape::Circle { radius: ref mut # } | Shape::Rect(ref mut #, _))",
        NUMBER,
    ),
    reads(Ty::Pair, "&@", &[], "(1..=50, #)", TEXT),
    changes(Ty::Pair, "&mut @", &[], "(# @ 1..=80, %)", &[("(*#)", Ty::Int), ("(*%)", Ty::Text)]),
    changes(Ty::Maybe, "&mut @", &[], "Some(#)", NUMBER),
    reads(Ty::Array, "&@", &[], "[#, .., 2..=60]", NUMBER),
    changes(Ty::Array, "&mut @", &[], "[.., #, (0..)]", NUMBER),
];

impl Generator {
    /// A pattern on what some local lends, what is matched, and what it binds. The local is held.
    pub(super) fn lent(&mut self) -> Option<(String, Node, Bound)> {
        let (lent, local) = self.lender_for(&LENT, |lent| (lent.of, lent.mutable))?;
        let Lent { mutable, value, types, pattern, binds, .. } = lent;
        let nodes = types.iter().map(|ty| self.operand(*ty)).collect();
        let (a, b) = (self.fresh(), self.fresh());
        let named = |text: &str| text.replace('#', &a).replace('%', &b);
        let bound = binds.iter().map(|(name, ty)| (named(name), *ty, mutable)).collect();
        let is_refusable = mutable && has_alternatives(pattern.trim_matches(['(', ')']));
        let marker = marker(is_refusable);
        let pattern = format!("{marker}{}", named(pattern));
        Some((pattern, Node::expr(Ty::Unit, &value.replace('@', &local), nodes), bound))
    }

    /// A `match` on what some local lends.
    pub(super) fn matching_lent(&mut self, ty: Ty) -> Node {
        let found = self.lender_for(&MATCHED, |(of, mutable, ..)| (*of, *mutable));
        let Some(((_, mutable, value, types, arms), local)) = found else {
            return self.block(ty);
        };
        let nodes = types.iter().map(|ty| self.operand(*ty)).collect();
        let value = Node::expr(Ty::Unit, &value.replace('@', &local), nodes);
        let arms = self.arms(ty, arms, mutable);
        Node::expr(ty, "match $ {\n$}", vec![value, arms])
    }

    /// One of several things that locals lend, and a local that lends it, which is held.
    pub(super) fn lender_for<T: Copy>(
        &mut self,
        choices: &[T],
        of: impl Fn(&T) -> (Ty, bool),
    ) -> Option<(T, String)> {
        for _ in 0..4 {
            let choice = self.rng.pick(choices);
            let (ty, mutable) = of(&choice);
            if let Some(local) = self.lender(ty, mutable) {
                return Some((choice, local));
            }
        }
        None
    }

    /// A local of this type that lends for as long as the statement lasts.
    pub(super) fn lender(&mut self, ty: Ty, mutable: bool) -> Option<String> {
        let (usage, hold) =
            if mutable { (Use::Change, Hold::Exclusive) } else { (Use::Read, Hold::Shared) };
        let index = self.scope.find_where(ty, usage, &mut self.rng, |var| var.is_place())?;
        self.scope.hold(index, hold);
        Some(self.scope.var(index).name.clone())
    }
}
