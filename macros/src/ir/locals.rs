//! The locals of a function.

use std::collections::HashMap;

use quote::ToTokens;
use syn::{Expr, Ident, Pat, Type};

use super::{Field, LocalId, Shape};
use crate::collections::by_name::NameMap;
use crate::syntax::build::{ident_expr, ident_pat};
use crate::syntax::fingerprint::{Fingerprint, Place};
use crate::syntax::hygiene::Names;
use crate::syntax::names::without_prefix;

/// A binding that can be alive across a suspension point.
#[derive(Clone, Debug)]
pub(crate) struct Local {
    /// Its name, unique in the function.
    pub(crate) ident: Ident,
    /// The name under which it is stored: that of the source, with the number of the binding if
    /// there are several of one name.
    pub(crate) stored: String,
    /// Whether it is declared `mut`.
    pub(crate) mutable: bool,
    /// Whether it has a value where it is declared in the source.
    pub(crate) is_given: bool,
    /// Its type, where the source gives it.
    pub(crate) ty: Option<Type>,
    /// How it is made again after a suspension instead of being saved.
    pub(crate) remade: Option<Expr>,
    /// The pattern that binds it, if others that it binds could not be made again beside it, but only
    /// together with it.
    pub(crate) made_with: Option<MadeWith>,
    /// What the loop that it is the position of has borrowed, for as long as the loop goes on.
    pub(crate) lent: Option<Expr>,
    /// The items that it is one of.
    pub(crate) item_of: Option<LocalId>,
    /// What saves it.
    pub(crate) kind: LocalKind,
    /// Whether it is an operand that is there for one statement only.
    pub(crate) is_temporary: bool,
    /// What its source says of texts in it.
    pub(crate) shape: Shape,
    /// Whether it has a range with its end in it that may give its numbers.
    pub(crate) holds_range: bool,
    /// Whether it may be a borrowed text, as far as its source shows.
    pub(crate) may_be_text: bool,
    /// Whether the program has the text for good, if it is one.
    pub(crate) lasts: bool,
    /// What binds it, whatever its name is.
    pub(crate) bound_by: Fingerprint,
    /// Whether what binds it is awaited, and so gives something else each time.
    pub(crate) is_awaited: bool,
    /// Whether it is bound within the value of a `let` that binds its name: `receipt` in
    /// `let receipt = match paid { Ok(receipt) => receipt, … }`. It is gone when the `let` binds the name.
    pub(crate) is_within_own_let: bool,
    /// Whether people are not to see its value.
    pub(crate) redacted: bool,
    /// Whether it is kept to the end of its scope, to be read from outside.
    pub(crate) exposed: bool,
    /// Other names that it had.
    pub(crate) formerly: Vec<String>,
}

impl Local {
    /// Whether its value stays for ever. An assignment is then a mistake.
    pub(crate) fn is_final(&self) -> bool {
        self.is_given && !self.mutable
    }

    /// Its name in the source.
    pub(crate) fn name(&self) -> &str {
        self.stored.split('#').next().unwrap_or_default()
    }

    /// What saves the part of it that these fields are.
    pub(crate) fn kind_of(&self, fields: &[Field]) -> LocalKind {
        match self.shape.part(fields) {
            Some(part) if !fields.is_empty() => part.kind(self.mutable),
            _ => self.kind,
        }
    }

    /// What is known of the part of it that these fields are, if there are texts in that beside other things.
    pub(crate) fn texts_in(&self, fields: &[Field]) -> Option<&Shape> {
        self.shape.part(fields).filter(|shape| shape.holds_text())
    }

    /// As [`texts_in`](Self::texts_in), if the texts are literals.
    pub(crate) fn literals_in(&self, fields: &[Field]) -> Option<&Shape> {
        self.texts_in(fields).filter(|shape| shape.is_of_literals())
    }
}

/// A pattern that binds borrows of parts of a value, one of them mutable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct MadeWith {
    pub(crate) pat: Pat,
    pub(crate) value: Expr,
    pub(crate) always_matches: bool,
}

/// How a local is saved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LocalKind {
    /// By its own serde implementation.
    Value,
    /// The iterator of a `for` loop, as the items that are left.
    Items,
    /// A `&'static str`, as its text.
    Text,
    /// A `&str`, as its text.
    Lent,
    /// A `Cow<str>`, as its text.
    Cow,
    /// As `Items`, of `&'static str`.
    Texts,
    /// A range with its end, `a..=b`, as its ends and whether it is over.
    Range,
}

impl LocalKind {
    /// Whether its text is saved, and not what it borrows that from.
    pub(crate) fn may_borrow(self) -> bool {
        matches!(self, Self::Lent | Self::Cow)
    }
}

/// The locals of a function.
#[derive(Clone, Debug, Default)]
pub(crate) struct Locals {
    list: Vec<Local>,
    by_name: NameMap<LocalId>,
    stored: NameMap<usize>,
    /// What bindings were called that are called otherwise now, where a constant could have been meant.
    renamed: Vec<Ident>,
}

impl Locals {
    /// Adds a local whose `ident` no other local has; `source` is its name for people.
    pub(crate) fn add(
        &mut self,
        ident: Ident,
        source: &str,
        mutable: bool,
        kind: LocalKind,
    ) -> LocalId {
        let id = LocalId(self.list.len());
        let source = without_prefix(source);
        let count = self.stored.get_or_insert(source.to_owned(), 0);
        *count += 1;
        let stored = if *count == 1 { source.to_owned() } else { format!("{source}#{count}") };
        self.by_name.insert(ident.to_string(), id);
        self.list.push(Local {
            ident,
            stored,
            mutable,
            is_given: false,
            ty: None,
            remade: None,
            made_with: None,
            lent: None,
            item_of: None,
            kind,
            is_temporary: false,
            shape: Shape::Unknown,
            holds_range: false,
            may_be_text: false,
            lasts: false,
            bound_by: Fingerprint::NONE,
            is_awaited: false,
            is_within_own_let: false,
            redacted: false,
            exposed: false,
            formerly: Vec::new(),
        });
        id
    }

    /// Notes that a binding of this name has got another.
    pub(crate) fn note_renamed(&mut self, source: &Ident) {
        if !self.renamed.contains(source) {
            self.renamed.push(source.clone());
        }
    }

    /// The names of bindings that have got others, each at the first of them.
    pub(crate) fn renamed(&self) -> &[Ident] {
        &self.renamed
    }

    /// The local with this unique name.
    pub(crate) fn find(&self, ident: &Ident) -> Option<LocalId> {
        self.by_name.get(&ident.to_string()).copied()
    }

    /// As [`find`](Self::find), by text.
    pub(crate) fn find_name(&self, name: &str) -> Option<LocalId> {
        self.by_name.get(name).copied()
    }

    /// A local as an expression.
    pub(crate) fn path(&self, local: LocalId) -> Expr {
        ident_expr(self[local].ident.clone())
    }

    /// A local as the pattern that binds it.
    pub(crate) fn pattern(&self, local: LocalId) -> Pat {
        let Local { ident, mutable, .. } = &self[local];
        ident_pat(ident.clone(), *mutable)
    }

    /// The fingerprint of code of the function, in which locals go by their names in the source.
    pub(crate) fn fingerprint(&self, code: &impl ToTokens) -> Fingerprint {
        Fingerprint::with_names(code, |name| Some(self[self.find_name(name)?].name()))
    }

    /// Whether code names a local that people are not to see.
    pub(crate) fn names_redacted(&self, code: &impl ToTokens) -> bool {
        let mut redacted = self.list.iter().filter(|local| local.redacted).peekable();
        if redacted.peek().is_none() {
            return false;
        }
        let names = Names::of(code.to_token_stream());
        redacted.any(|local| names.has(&local.ident.to_string()))
    }

    /// Which of those of its name each is. Those that are bound alike have no fingerprint, and those within the value of
    /// a `let` of their name do not count for others. If several that are the only ones of their names are bound alike by
    /// an await, each has a fingerprint of its own.
    pub(crate) fn places(&self) -> Vec<Place> {
        let mut by_name = NameMap::<Vec<usize>>::default();
        let mut by_await = HashMap::<Fingerprint, Vec<usize>>::new();
        for (index, local) in self.list.iter().enumerate() {
            by_name.get_or_insert(local.name().to_owned(), Vec::new()).push(index);
            if local.is_awaited {
                by_await.entry(local.bound_by).or_default().push(index);
            }
        }
        let places = self.list.iter().enumerate().map(|(index, local)| {
            let alike = by_name.get(local.name()).map_or(&[][..], |alike| alike);
            let counts =
                |other: &usize| local.is_within_own_let || !self.list[*other].is_within_own_let;
            let alike: Vec<usize> = alike.iter().copied().filter(counts).collect();
            let bound_by: Vec<_> = alike.iter().map(|other| self.list[*other].bound_by).collect();
            let is_only = bound_by.iter().filter(|other| **other == local.bound_by).count() == 1;
            let number = alike.iter().take_while(|other| **other < index).count();
            let by_same_await = by_await.get(&local.bound_by).map_or(&[][..], |same| same);
            let fingerprint = match (is_only, alike.len(), by_same_await) {
                (false, ..) => Fingerprint::NONE,
                (true, 1, [_, _, ..]) if local.is_awaited => {
                    let before = by_same_await.iter().filter(|other| **other < index).count();
                    local.bound_by.numbered(before + 1, by_same_await.len())
                }
                (true, ..) => local.bound_by,
            };
            let others = match alike.len() {
                0 | 1 => Fingerprint::NONE,
                _ => Fingerprint::of_others(&bound_by, number),
            };
            Place { index: number + 1, count: alike.len(), fingerprint, others }
        });
        places.collect()
    }

    /// Whether one of them is a borrowed text that may be saved.
    pub(crate) fn are_texts_lent(&self) -> bool {
        self.list.iter().any(|local| {
            let is_lent = |kind: &LocalKind| *kind == LocalKind::Lent;
            is_lent(&local.kind) && local.remade.is_none()
                || matches!(&local.shape, Shape::Tuple(parts) if parts.contains(&Shape::Lent))
        })
    }

    pub(crate) fn ids(&self) -> impl ExactSizeIterator<Item = LocalId> + use<> {
        (0..self.list.len()).map(LocalId)
    }
}

impl std::ops::Index<LocalId> for Locals {
    type Output = Local;

    fn index(&self, id: LocalId) -> &Local {
        &self.list[id.0]
    }
}

impl std::ops::IndexMut<LocalId> for Locals {
    fn index_mut(&mut self, id: LocalId) -> &mut Local {
        &mut self.list[id.0]
    }
}

/// The local that the expression is, or a field of.
pub(crate) fn local_of(locals: &Locals, expr: &Expr) -> Option<LocalId> {
    match expr {
        Expr::Path(path) => path.path.get_ident().and_then(|ident| locals.find(ident)),
        Expr::Field(expr) => local_of(locals, &expr.base),
        Expr::Paren(expr) => local_of(locals, &expr.expr),
        _ => None,
    }
}
