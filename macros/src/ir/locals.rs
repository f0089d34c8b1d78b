//! The locals of a function.

use std::collections::HashMap;

use quote::ToTokens;
use syn::{Expr, Ident, Pat};

use super::ids::LocalId;
use super::local::{Identity, Local, LocalKind, Saving, Visibility};
use super::shape::Shape;
use crate::collections::by_name::NameMap;
use crate::syntax::build::{ident_expr, ident_pat};
use crate::syntax::fingerprint::{BindingPlace, Fingerprint, Place};
use crate::syntax::hygiene::Names;
use crate::syntax::names::without_prefix;

/// The locals of a function.
#[derive(Clone, Debug, Default)]
pub(crate) struct Locals {
    list: Vec<Local>,
    by_name: NameMap<LocalId>,
    stored: NameMap<usize>,
    /// The source names of bindings that have been renamed, because a constant may have the name.
    renamed: Vec<Ident>,
}

impl Locals {
    /// Adds a local. No other local may have this `ident`; `source` is its name in the source.
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
            ty: None,
            mutable,
            is_initialized: false,
            is_temporary: false,
            identity: Identity {
                name: stored,
                former_names: Vec::new(),
                bound_by: Fingerprint::NONE,
                used_by: Fingerprint::NONE,
                unordered: Fingerprint::NONE,
                may_vary: false,
                is_within_own_let: false,
            },
            saving: Saving { kind, ..Saving::default() },
            rematerialized: None,
            loop_borrow: None,
            visibility: Visibility::default(),
        });
        id
    }

    /// Notes that bindings of this name have been renamed.
    pub(crate) fn note_renamed(&mut self, source: &Ident) {
        if !self.renamed.contains(source) {
            self.renamed.push(source.clone());
        }
    }

    /// The source names of renamed bindings, each with the span of the first.
    pub(crate) fn renamed(&self) -> &[Ident] {
        &self.renamed
    }

    /// The local with this unique name.
    pub(crate) fn find(&self, ident: &Ident) -> Option<LocalId> {
        self.by_name.get(&ident.to_string()).copied()
    }

    /// As [`find`](Self::find), for a name without a span.
    pub(crate) fn find_name(&self, name: &str) -> Option<LocalId> {
        self.by_name.get(name).copied()
    }

    /// The local that a path names.
    pub(crate) fn of_path(&self, path: &syn::Path) -> Option<LocalId> {
        self.find(path.get_ident()?)
    }

    /// The expression that names a local.
    pub(crate) fn path(&self, local: LocalId) -> Expr {
        ident_expr(self[local].ident.clone())
    }

    /// The pattern that binds a local.
    pub(crate) fn pattern(&self, local: LocalId) -> Pat {
        let Local { ident, mutable, .. } = &self[local];
        ident_pat(ident.clone(), *mutable)
    }

    /// The fingerprint of code. Locals count with their names in the source.
    pub(crate) fn fingerprint(&self, code: &impl ToTokens) -> Fingerprint {
        Fingerprint::with_names(code, |name| Some(self[self.find_name(name)?].name().into()))
    }

    /// The fingerprint of code, where a local counts as the code that binds it.
    pub(crate) fn fingerprint_by_bindings(&self, code: &impl ToTokens) -> Fingerprint {
        Fingerprint::with_names(code, |name| {
            let local = &self[self.find_name(name)?];
            match local.identity.bound_by {
                Fingerprint::NONE => Some(local.name().into()),
                bound_by => Some(format!("={bound_by}").into()),
            }
        })
    }

    /// Whether code names a redacted local.
    pub(crate) fn names_redacted(&self, code: &impl ToTokens) -> bool {
        let mut redacted = self.list.iter().filter(|local| local.visibility.redacted).peekable();
        if redacted.peek().is_none() {
            return false;
        }
        let names = Names::of(code.to_token_stream());
        redacted.any(|local| names.has(&local.ident.to_string()))
    }

    /// By local, its place among the locals of the same source name. A local has no fingerprint if another one is bound
    /// by equal code. A local within the initializer of a `let` of the same name does not count for the others. If
    /// equal code whose values may vary binds several locals that are the only ones of their names, their numbers are part
    /// of their fingerprints.
    pub(crate) fn places(&self) -> Vec<BindingPlace> {
        let mut by_name = NameMap::<Vec<usize>>::default();
        let mut by_code = HashMap::<Fingerprint, Vec<usize>>::new();
        for (index, local) in self.list.iter().enumerate() {
            by_name.get_or_insert(local.name().to_owned(), Vec::new()).push(index);
            if local.identity.may_vary {
                by_code.entry(local.identity.bound_by).or_default().push(index);
            }
        }
        let places = self.list.iter().enumerate().map(|(index, local)| {
            let alike = by_name.get(local.name()).map_or(&[][..], |alike| alike);
            let counts = |other: &usize| {
                local.identity.is_within_own_let || !self.list[*other].identity.is_within_own_let
            };
            let alike: Vec<usize> = alike.iter().copied().filter(counts).collect();
            let bound_by: Vec<_> =
                alike.iter().map(|other| self.list[*other].identity.bound_by).collect();
            let is_only =
                bound_by.iter().filter(|other| **other == local.identity.bound_by).count() == 1;
            let number = alike.iter().take_while(|other| **other < index).count();
            let by_same_code = by_code.get(&local.identity.bound_by).map_or(&[][..], |same| same);
            let fingerprint = match (is_only, alike.len(), by_same_code) {
                (false, ..) => Fingerprint::NONE,
                (true, 1, [_, _, ..]) if local.identity.may_vary => {
                    let before = by_same_code.iter().filter(|other| **other < index).count();
                    local.identity.bound_by.numbered(before + 1, by_same_code.len())
                }
                (true, ..) => local.identity.bound_by,
            };
            let others = match alike.len() {
                0 | 1 => Fingerprint::NONE,
                _ => Fingerprint::of_others(&bound_by, number),
            };
            let is_known = local.identity.bound_by != Fingerprint::NONE;
            let initializers = if is_only || !is_known { Vec::new() } else { bound_by };
            let only = Place { others, ..Place::only(fingerprint) };
            let place = only.of_several(number + 1, alike.len());
            let Identity { used_by, unordered, .. } = local.identity;
            BindingPlace { place, initializers, used_by, unordered }
        });
        places.collect()
    }

    /// Whether a state may save one of them as a borrowed text.
    pub(crate) fn has_borrowed_texts(&self) -> bool {
        self.list.iter().any(|local| {
            let is_lent = |kind: &LocalKind| *kind == LocalKind::Lent;
            is_lent(&local.saving.kind) && !local.is_rematerialized()
                || matches!(&local.saving.shape, Shape::Tuple(parts) if parts.contains(&Shape::Lent))
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

/// The local that the expression names, or projects from.
pub(crate) fn local_of(locals: &Locals, expr: &Expr) -> Option<LocalId> {
    match expr {
        Expr::Path(path) => locals.of_path(&path.path),
        Expr::Field(expr) => local_of(locals, &expr.base),
        Expr::Paren(expr) => local_of(locals, &expr.expr),
        _ => None,
    }
}
