//! The bindings of patterns.

use quote::ToTokens;
use syn::visit_mut::{self, VisitMut};
use syn::{Expr, Ident, Pat};

use super::{Binding, Resolver};
use crate::collections::by_name::NameMap;
use crate::ir::LocalKind;
use crate::syntax::patterns;
use crate::syntax::patterns::is_binding;

impl Resolver<'_> {
    /// Adds the bindings of a pattern to the innermost scope, renaming those that need it.
    pub(super) fn bind(&mut self, pat: &mut Pat) {
        self.bind_names(pat, false);
    }

    /// As [`bind`](Self::bind), for an irrefutable pattern, which has no constants.
    pub(super) fn bind_certain(&mut self, pat: &mut Pat) {
        self.bind_names(pat, true);
    }

    pub(super) fn bind_names(&mut self, pat: &mut Pat, is_certain: bool) {
        // Constants and ranges in a pattern are resolved in the scope outside it.
        let mut binder = Binder { resolver: self, bound: NameMap::default(), is_certain };
        binder.visit_pat_mut(pat);
        let bound = binder.bound;
        if let Some(scope) = self.scopes.last_mut() {
            scope.extend(bound);
        }
    }

    /// Adds a binding that may live across an await.
    fn add_local(&mut self, pat: &syn::PatIdent) -> Binding {
        let source = pat.ident.to_string();
        let first = self.taken.insert(source.clone());
        let ident = match (is_binding(pat), first) {
            (true, true) => pat.ident.clone(),
            (true, false) => self.fresh(&pat.ident),
            // Later passes recognize constants by their case.
            (false, _) => {
                let lower = source.to_lowercase();
                self.fresh(&Ident::new(&lower, pat.ident.span()))
            }
        };
        let mutable = pat.mutability.is_some() && pat.by_ref.is_none();
        let id = self.locals.add(ident.clone(), &source, mutable, LocalKind::Value);
        self.locals[id].is_initialized = true;
        self.locals[id].identity.bound_by = self.bound_by.fingerprint(&source);
        self.locals[id].identity.may_vary = self.bound_by.may_vary;
        self.locals[id].identity.unordered = self.bound_by.unordered;
        self.locals[id].identity.is_within_own_let =
            self.lets.iter().any(|names| names.has(&source));
        if ident == pat.ident { Binding::Own } else { Binding::Renamed(ident) }
    }

    /// Adds a binding of code that does not suspend. Its name must differ from that of every local in the function.
    fn add_own(&mut self, pat: &syn::PatIdent) -> Binding {
        let name = pat.ident.to_string();
        let is_called_so = self.of_locals.contains(&name);
        self.own.insert(name);
        if is_called_so { Binding::Renamed(self.fresh(&pat.ident)) } else { Binding::Own }
    }
}

struct Binder<'a, 'r> {
    resolver: &'a mut Resolver<'r>,
    bound: NameMap<Binding>,
    /// Whether the pattern is irrefutable.
    is_certain: bool,
}

impl Binder<'_, '_> {
    fn is_constant(&self, pat: &syn::PatIdent) -> bool {
        self.resolver.constants.contains(&pat.ident.to_string())
    }

    fn binds(&self, pat: &syn::PatIdent) -> bool {
        is_binding(pat)
            || self.is_certain && patterns::is_all_capital(&pat.ident) && !self.is_constant(pat)
    }

    /// Records a renamed binding that might be a constant of that name.
    fn note_renamed(&mut self, pat: &syn::PatIdent) {
        let is_plain = pat.by_ref.is_none() && pat.mutability.is_none() && pat.subpat.is_none();
        if is_plain && !self.is_certain {
            self.resolver.locals.note_renamed(&pat.ident);
        }
    }
}

impl VisitMut for Binder<'_, '_> {
    fn visit_pat_mut(&mut self, pat: &mut Pat) {
        if let Pat::Ident(syn::PatIdent { by_ref: None, mutability: None, subpat: None, .. }) = pat
            && let Pat::Ident(constant) = &*pat
            && self.is_constant(constant)
        {
            // A path is a constant to all later passes.
            let path = constant.ident.clone().into();
            *pat = Pat::Path(syn::PatPath { attrs: Vec::new(), qself: None, path });
            return;
        }
        if let Pat::Macro(call) = pat {
            self.resolver.check_pattern(&call.mac);
        }
        visit_mut::visit_pat_mut(self, pat);
    }

    fn visit_field_pat_mut(&mut self, field: &mut syn::FieldPat) {
        let shorthand = field.colon_token.is_none();
        let before = shorthand.then(|| field.pat.to_token_stream().to_string());
        self.visit_pat_mut(&mut field.pat);
        if before.is_some_and(|before| before != field.pat.to_token_stream().to_string()) {
            field.colon_token = Some(syn::token::Colon::default());
        }
    }

    fn visit_pat_ident_mut(&mut self, pat: &mut syn::PatIdent) {
        if self.binds(pat) {
            let name = pat.ident.to_string();
            let binding = match self.bound.get(&name) {
                // Another alternative of the pattern binds the same name.
                Some(binding) => binding.clone(),
                None if self.resolver.lowered => self.resolver.add_local(pat),
                None => self.resolver.add_own(pat),
            };
            if let Binding::Renamed(ident) = &binding {
                self.note_renamed(pat);
                let mut ident = ident.clone();
                ident.set_span(pat.ident.span());
                pat.ident = ident;
            }
            self.bound.insert(name, binding);
        }
        if let Some((_, pat)) = &mut pat.subpat {
            self.visit_pat_mut(pat);
        }
    }

    // The guard of an arm sees the bindings, so it is visited after them.
    fn visit_pat_guard_mut(&mut self, pat: &mut syn::PatGuard) {
        self.visit_pat_mut(&mut pat.pat);
    }

    fn visit_expr_mut(&mut self, expr: &mut Expr) {
        self.resolver.visit_expr_mut(expr);
    }

    fn visit_type_mut(&mut self, ty: &mut syn::Type) {
        self.resolver.visit_type_mut(ty);
    }
}
