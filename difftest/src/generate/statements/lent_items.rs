//! Loops over borrows: of locals, of values that are made for the loop, of items of other loops.

use crate::generate::conditions::Bound;
use crate::generate::refusals::marker;
use crate::generate::scope::{Hold, Use};
use crate::generate::{Generator, Node, Ty};

/// A loop over a borrow of a local: the pattern, what it goes over, and what it binds. `@` is the
/// local, `#` the name that is bound.
type Borrowing = (Ty, &'static str, &'static str, &'static [(&'static str, Ty)]);

const BORROWINGS: [Borrowing; 35] = [
    (Ty::List, "#", "&@", &[("(*#)", Ty::Int)]),
    (Ty::List, "&#", "&@", &[("#", Ty::Int)]),
    (Ty::List, "#", "@.iter()", &[("(*#)", Ty::Int)]),
    (Ty::List, "#", "@.iter().rev()", &[("(*#)", Ty::Int)]),
    (Ty::List, "(i, #)", "@.iter().enumerate()", &[("(*#)", Ty::Int), ("(i as i64)", Ty::Int)]),
    (Ty::List, "#", "@.iter().copied()", &[("#", Ty::Int)]),
    (Ty::List, "#", "@.iter().skip(1)", &[("(*#)", Ty::Int)]),
    (Ty::List, "#", "@.iter().filter(|x| **x > 3).cloned()", &[("#", Ty::Int)]),
    (Ty::List, "#", "@.iter().map(|x| x * 2)", &[("#", Ty::Int)]),
    (Ty::Texts, "#", "&@", &[("#.as_str()", Ty::Str)]),
    (Ty::Texts, "#", "@.iter().take(2)", &[("(*#)", Ty::Text)]),
    (Ty::Texts, "#", "@.iter().cloned()", &[("#", Ty::Text)]),
    (Ty::Map, "(key, #)", "&@", &[("key.as_str()", Ty::Str), ("(*#)", Ty::Int)]),
    (Ty::Map, "#", "@.values()", &[("(*#)", Ty::Int)]),
    (Ty::Map, "#", "@.keys()", &[("(*#)", Ty::Text)]),
    (Ty::Order, "#", "&@.lines", &[("#.count", Ty::Int), ("#.sku.as_str()", Ty::Str)]),
    (Ty::Order, "Line { sku, count: # }", "@.lines.iter()", &[("(*#)", Ty::Int)]),
    (Ty::Text, "#", "@.chars().take(3)", &[("#", Ty::Char)]),
    (Ty::Text, "#", "@.lines()", &[("#", Ty::Str)]),
    (Ty::List, "#", "@.chunks(2)", &[("(#.len() as i64)", Ty::Int)]),
    (Ty::List, "#", "@.iter().inspect(|x| { note(**x); })", &[("(*#)", Ty::Int)]),
    (Ty::Texts, "#", "@.iter().skip(1).peekable()", &[("#.as_str()", Ty::Str)]),
    (
        Ty::Map,
        "(key, #)",
        "@.range(String::from(\"b\")..)",
        &[("key.as_str()", Ty::Str), ("(*#)", Ty::Int)],
    ),
    (Ty::List, "#", "@.windows(2)", &[("#[0]", Ty::Int), ("#[1]", Ty::Int)]),
    (Ty::List, "#", "&@[..@.len() / 2]", &[("(*#)", Ty::Int)]),
    (Ty::List, "#", "@.iter().skip_while(|x| **x < 5).take(3)", &[("(*#)", Ty::Int)]),
    (Ty::List, "(i, #)", "(1_i64..).zip(&@)", &[("i", Ty::Int), ("(*#)", Ty::Int)]),
    (Ty::List, "(#, i)", "@.iter().rev().zip(2_i64..)", &[("(*#)", Ty::Int), ("i", Ty::Int)]),
    (Ty::List, "#", "@.iter().chain(&[7, 8])", &[("(*#)", Ty::Int)]),
    (Ty::List, "#", "@.chunk_by(|a, b| a % 3 == b % 3)", &[("(#.len() as i64)", Ty::Int)]),
    (Ty::Text, "#", "@.split('e')", &[("#", Ty::Str)]),
    (Ty::Text, "#", "@.trim().split_whitespace().rev()", &[("#", Ty::Str)]),
    (Ty::Text, "(i, #)", "@.char_indices().skip(1)", &[("(i as i64)", Ty::Int), ("#", Ty::Char)]),
    (
        Ty::Order,
        "(i, #)",
        "@.lines.iter().enumerate()",
        &[("#.count", Ty::Int), ("#.sku", Ty::Text)],
    ),
    (Ty::MaybeText, "#", "&@", &[("(*#)", Ty::Text)]),
];

/// Iterators whose items would be saved at an await in the loop, and are borrows.
const OF_BORROWS: [&str; 3] = [".inspect(", ".skip_while(", "..).zip("];

/// Loops over what may be changed.
const CHANGING: [Borrowing; 10] = [
    (Ty::List, "#", "&mut @", &[("(*#)", Ty::Int)]),
    (Ty::List, "#", "@.iter_mut().rev()", &[("(*#)", Ty::Int)]),
    (Ty::Map, "#", "@.values_mut()", &[("(*#)", Ty::Int)]),
    (Ty::Texts, "#", "&mut @", &[("(*#)", Ty::Text)]),
    (Ty::Order, "#", "&mut @.lines", &[("#.count", Ty::Int), ("#.sku", Ty::Text)]),
    (Ty::Order, "Line { count: #, .. }", "@.lines.iter_mut().skip(1)", &[("(*#)", Ty::Int)]),
    (Ty::List, "#", "@.chunks_mut(2)", &[("#[0]", Ty::Int)]),
    (Ty::List, "#", "@.iter_mut().filter(|x| **x % 2 == 0)", &[("(*#)", Ty::Int)]),
    (Ty::MaybeText, "#", "@.iter_mut()", &[("(*#)", Ty::Text)]),
    (Ty::Array, "#", "&mut @[1..]", &[("(*#)", Ty::Int)]),
];

impl Generator {
    /// Over a local that stays.
    pub(super) fn for_borrowed(&mut self) -> Node {
        let changes = self.rng.chance(30);
        let (ty, pattern, over, items) =
            if changes { self.rng.pick(&CHANGING) } else { self.rng.pick(&BORROWINGS) };
        let usage = if changes { Use::Change } else { Use::Read };
        let Some(index) = self.scope.find_where(ty, usage, &mut self.rng, |var| var.is_place())
        else {
            return self.for_owned();
        };
        let local = self.scope.var(index).name.clone();
        let (label, name) = (self.label(), self.fresh());
        self.scope.hold(index, if changes { Hold::Exclusive } else { Hold::Shared });
        let items: Bound =
            items.iter().map(|(item, ty)| (item.replace('#', &name), *ty, changes)).collect();
        let body = self.for_body(&label, &items);
        let is_refusable = OF_BORROWS.iter().any(|iterator| over.contains(iterator));
        let marker = marker(is_refusable);
        let (pattern, over) = (pattern.replace('#', &name), over.replace('@', &local));
        Node::stmt(&format!("{marker}{label}: for {pattern} in {over} {{\n$}}"), vec![body])
    }

    /// Over a borrow of a value that is made for the loop.
    pub(super) fn for_lent(&mut self) -> Node {
        let (ty, over, item, item_type) = self.rng.pick(&[
            (Ty::Text, "($).lines()", "#", Ty::Str),
            (Ty::List, "($).iter()", "(*#)", Ty::Int),
            (Ty::Texts, "($).iter().rev()", "#.as_str()", Ty::Str),
        ]);
        let (label, name) = (self.label(), self.fresh());
        let value = self.made(ty);
        let item = item.replace('#', &name);
        let body = self.for_body(&label, &[(item, item_type, false)]);
        Node::stmt(&format!("{label}: for {name} in {over} {{\n$}}"), vec![value, body])
    }

    /// Over the items of the items of a list.
    pub(super) fn for_rows(&mut self) -> Node {
        let (label, name) = (self.label(), self.fresh());
        let rows = vec![self.expr(Ty::List), self.expr(Ty::List)];
        let body = self.for_body(&label, &[(format!("(*{name})"), Ty::Int, false)]);
        let template = format!(
            "let rows_{name} = vec![$, $];\n\
             {label}: for row_{name} in &rows_{name} {{\nfor {name} in row_{name} {{\n$}}\n}}"
        );
        Node::stmt(&template, rows.into_iter().chain([body]).collect())
    }

    /// Over two locals side by side.
    pub(super) fn for_both(&mut self) -> Node {
        let Some(first) = self.borrowed(Ty::List) else { return self.for_rows() };
        let (ty, over, item, item_type) = self.rng.pick(&[
            (Ty::List, "@.iter().zip(&~)", "(*#)", Ty::Int),
            (Ty::Texts, "@.iter().zip(~.iter().skip(1))", "(*#)", Ty::Text),
            (Ty::Texts, "@.iter().rev().zip(~.clone())", "#", Ty::Text),
        ]);
        let Some(second) = self.borrowed(ty) else { return self.for_rows() };
        let (label, a, b) = (self.label(), self.fresh(), self.fresh());
        let bound =
            [(format!("(*{a})"), Ty::Int, false), (item.replace('#', &b), item_type, false)];
        let body = self.for_body(&label, &bound);
        let over = over.replace('@', &first).replace('~', &second);
        Node::stmt(&format!("{label}: for ({a}, {b}) in {over} {{\n$}}"), vec![body])
    }
}
