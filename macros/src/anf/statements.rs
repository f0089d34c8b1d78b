//! The statements of a block.

use proc_macro2::Span;
use quote::quote;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::visit_mut::{self, VisitMut};
use syn::{Block, Expr, Pat, PatIdent, Stmt as Source, Type};

use super::control;
use super::early_exits::conditions_behind;
use crate::desugar::let_else::must_jump;
use crate::ir::{LocalId, Stmt};
use crate::lower::borrows::Borrows;
use crate::lower::{Dest, Lower};
use crate::syntax::build::let_stmt;
use crate::syntax::fingerprint::Fingerprint;
use crate::syntax::forms::extends_temporaries;
use crate::syntax::patterns::{bindings, has_ref, split_type};
use crate::syntax::{results, suspend};

impl Lower<'_> {
    /// Lowers the statements of a block, and stores its value in `dest`.
    pub(crate) fn block(&mut self, block: Block, dest: Dest) {
        self.items_of(&block);
        let user = std::mem::replace(&mut self.user, Fingerprint::NONE);
        let outer = self.points.surroundings();
        self.depth += 1;
        let mut has_value = false;
        let end = block.brace_token.span.close();
        self.continuation.enter(block);
        while let Some(stmt) = self.continuation.next() {
            let is_last = self.continuation.is_over();
            let behind = conditions_behind(&stmt);
            match stmt {
                Source::Item(_) => {}
                Source::Local(local) => {
                    let user = self.locals.fingerprint(split_type(&local.pat).0);
                    self.used_by(user, |this| this.local_stmt(local));
                }
                Source::Expr(expr, None) if is_last => {
                    has_value = true;
                    self.tail(expr, dest);
                }
                Source::Expr(expr, semi) => {
                    let dest = if semi.is_some() { Dest::Discard } else { Dest::Unit };
                    self.expr_stmt(expr, semi, dest);
                }
                Source::Macro(call) => {
                    let is_value = is_last && call.semi_token.is_none();
                    let expr = Expr::Macro(syn::ExprMacro { attrs: call.attrs, mac: call.mac });
                    if is_value {
                        has_value = true;
                        self.tail(expr, dest);
                    } else if call.semi_token.is_some() {
                        self.expr_stmt(expr, call.semi_token, Dest::Discard);
                    } else {
                        // A macro in braces is a statement without a semicolon.
                        self.expr_stmt(expr, Some(Default::default()), Dest::Unit);
                    }
                }
            }
            if let Some(conditions) = behind {
                self.points.enter(self.locals.fingerprint(&conditions));
            }
        }
        self.continuation.leave();
        self.depth -= 1;
        self.user = user;
        self.points.leave(outer);
        if !has_value {
            self.finish_unit(dest, end);
        }
    }

    fn local_stmt(&mut self, mut local: syn::Local) {
        if self.continuation.awaits() {
            self.bind_temporaries(&mut local);
            self.save_keys_of_initializer(&mut local);
        } else if !is_declared_owned(&local) {
            self.number_branches(&mut local, false);
        }
        self.local(local);
    }

    /// Lowers the tail expression of a block, which may have `#[state]` like a statement.
    pub(crate) fn tail(&mut self, mut expr: Expr, dest: Dest) {
        let pin = self.take_pin(&mut expr);
        let first = self.points.count();
        self.value(expr, dest);
        self.points.pin(pin, first, self.diagnostics);
    }

    pub(crate) fn expr_stmt(&mut self, mut expr: Expr, semi: Option<syn::Token![;]>, dest: Dest) {
        if suspend::expr(&expr) || results::is_jump(&expr) {
            let pin = self.take_pin(&mut expr);
            let first = self.points.count();
            let is_value = matches!(dest, Dest::Discard) && control::gives_value(&expr);
            self.with_temporaries(|this| match expr {
                expr if is_value => this.discard_chosen(expr),
                expr => this.value(expr, dest),
            });
            self.points.pin(pin, first, self.diagnostics);
        } else {
            self.check_declared(&expr);
            let expr = self.opaque(expr);
            self.code(Source::Expr(expr, semi));
        }
    }

    pub(crate) fn local(&mut self, local: syn::Local) {
        let (pat, _) = split_type(&local.pat);
        self.inside(&quote!(let #pat), |this| this.lower_local(local));
    }

    fn lower_local(&mut self, mut local: syn::Local) {
        let pin = self.take_pin_attrs(&mut local.attrs);
        let first = self.points.count();
        self.note_local(&local);
        match local.init.take() {
            None => self.declare(local),
            Some(mut init) => {
                let diverges =
                    init.diverge.as_ref().is_some_and(|(_, otherwise)| suspend::expr(otherwise));
                let needs_temporary = init.diverge.is_some();
                if suspend::expr(&init.expr) {
                    if !needs_temporary
                        && let Some(expr) = self.bind_value(&local, *init.expr.clone())
                    {
                        init.expr = Box::new(expr);
                    } else if !needs_temporary {
                        self.points.pin(pin, first, self.diagnostics);
                        return;
                    } else {
                        let (pat, _) = split_type(&local.pat);
                        let mut value = self.let_value(&local, *init.expr);
                        if self.borrows().takes_apart(pat) {
                            // `let … else` accepts no closing brace before the `else`.
                            let left = as_value(&local.pat, value);
                            // rustc would report parentheses with a user's span as unused.
                            let span = Span::mixed_site().located_at(left.span());
                            value = syn::parse_quote_spanned!(span=> (#left));
                        }
                        init.expr = Box::new(value);
                    }
                    // After the awaits have been hoisted, the remaining initializer may be recognized as a borrow.
                    local.init = Some(init.clone());
                    self.note_local(&local);
                    local.init = None;
                } else {
                    *init.expr = self.opaque(*init.expr);
                }
                if diverges {
                    if let Some((token, expr)) = init.diverge.take() {
                        let mut otherwise = self.body(|this| this.value(*expr, Dest::Discard));
                        must_jump(&mut otherwise, token.span);
                        local.init = Some(init);
                        self.push(Stmt::LetElse { local, otherwise });
                    }
                } else {
                    if let Some((_, expr)) = &mut init.diverge {
                        **expr = self.opaque(std::mem::replace(&mut **expr, Expr::PLACEHOLDER));
                    }
                    local.init = Some(init);
                    self.code(Source::Local(local));
                }
            }
        }
        self.points.pin(pin, first, self.diagnostics);
    }

    /// Saves the keys of the lookups in the initializer, if the statement binds their borrow.
    pub(crate) fn save_keys_of_initializer(&mut self, local: &mut syn::Local) {
        if is_declared_owned(local) {
            return;
        }
        self.number_branches(local, true);
        let Some(init) = local.init.as_mut() else { return };
        if !suspend::expr(&init.expr) {
            let value = std::mem::replace(&mut *init.expr, Expr::PLACEHOLDER);
            *init.expr = self.save_keys_for(&[&local.pat], value);
        }
    }

    /// Records the type of the declared local, its borrows, and how it is rematerialized.
    fn note_local(&mut self, local: &syn::Local) {
        let (pat, ty) = split_type(&local.pat);
        let bound = crate::ir::usage::bound_locals(&self.locals, pat);
        self.declared.extend(bound);
        let is_owned = ty.is_some_and(is_owned);
        if let Some(init) = local.init.as_ref().filter(|_| !is_owned) {
            self.note_borrows(pat, &init.expr);
        }
        let Pat::Ident(PatIdent { ident, by_ref: None, subpat: None, .. }) = pat else { return };
        let Some(id) = self.locals.find(ident) else { return };
        self.locals[id].ty = ty.cloned();
        if !is_owned && let Some(made) = self.rematerialization(local) {
            self.locals[id].rematerialized = Some(made.into());
        }
    }

    pub(crate) fn declare(&mut self, local: syn::Local) {
        let idents = bindings(&local.pat);
        let ids: Vec<_> = idents.iter().filter_map(|ident| self.locals.find(ident)).collect();
        if ids.len() < idents.len() {
            // The statement has no suspension point.
            return self.code(Source::Local(local));
        }
        // A local that is not named later stays in the source, so that rustc reports it as unused or asks for its type.
        let (pat, ty) = split_type(&local.pat);
        let is_one = matches!(pat, Pat::Ident(_) | Pat::Wild(_));
        if is_one && ids.iter().all(|id| !self.is_used_later(*id)) {
            return self.code(Source::Local(local));
        }
        for id in ids {
            if ty.is_some() || self.is_used_later(id) {
                self.push(Stmt::Declare(id));
            } else {
                let pat = self.locals.pattern(id);
                self.code(Source::Local(syn::Local { pat, ..local.clone() }));
            }
        }
    }

    /// Lowers `let pat = value`. Returns the remaining initializer, or `None` if the statement is complete.
    fn bind_value(&mut self, local: &syn::Local, value: Expr) -> Option<Expr> {
        let (pat, ty) = split_type(&local.pat);
        match value {
            Expr::Await(expr) if !has_ref(pat) && suspend::awaited_block(&expr).is_none() => {
                let point = self.future(expr);
                self.push_await(point, pat.clone(), ty.cloned());
                None
            }
            Expr::Paren(inner) if inner.attrs.is_empty() => self.bind_value(local, *inner.expr),
            value if control::has_parts(&value) => {
                // The branches assign a local, and the pattern destructures it.
                if let Pat::Ident(simple) = pat
                    && simple.by_ref.is_none()
                    && simple.subpat.is_none()
                    && let Some(id) = self.locals.find(&simple.ident)
                {
                    self.push(Stmt::Declare(id));
                    self.value(value, Dest::Local(id));
                    None
                } else {
                    let id = self.temporary(&value);
                    self.locals[id].ty = ty.cloned();
                    self.push(Stmt::Declare(id));
                    self.value(value, Dest::Local(id));
                    Some(as_value(&local.pat, self.locals.path(id)))
                }
            }
            value if matches!(pat, Pat::Wild(_)) => self.ignore_value(local, value),
            value if self.borrows().takes_apart(pat) => self.bind_parts(local, value),
            value => {
                let value = self.let_value(local, value);
                Some(as_value(&local.pat, value))
            }
        }
    }

    /// Hoists the awaits of an initializer, and saves the keys of its lookups.
    fn let_value(&mut self, local: &syn::Local, value: Expr) -> Expr {
        let ty = split_type(&local.pat).1.cloned();
        self.without_temporaries(ty, |this| this.hoist_value(local, value))
    }

    fn hoist_value(&mut self, local: &syn::Local, value: Expr) -> Expr {
        let before = self.kept_temporaries;
        let value = match split_type(&local.pat).0 {
            Pat::Tuple(_) => self.hoist_matched(value),
            _ => self.hoist(value),
        };
        let hoisted = self.kept_temporaries;
        if is_declared_owned(local) || hoisted == before && !self.continuation.awaits() {
            return value;
        }
        let value = self.save_keys_for(&[&local.pat], value);
        // Without other temporaries, the keys may outlive the statement.
        if hoisted == before {
            self.kept_temporaries = before;
        }
        value
    }

    /// Lowers `let (a, _) = value`: the parts that the pattern does not bind are dropped with the temporaries of the
    /// value.
    fn bind_parts(&mut self, local: &syn::Local, value: Expr) -> Option<Expr> {
        let before = self.kept_temporaries;
        let mut left = None;
        let body = self.body(|this| left = Some(this.hoist_value(local, value)));
        let value = as_value(&local.pat, left?);
        let (value, left) = self.outlive(body, value, before);
        let Some(mut body) = left else { return Some(value) };
        let mut parts = Parts { lower: self, given: Vec::new() };
        let mut pat = local.pat.clone();
        parts.visit_pat_mut(&mut pat);
        let given = parts.given;
        body.stmts.push(Stmt::Code(let_stmt(pat, value)));
        for (part, local) in given {
            self.push(Stmt::Declare(local));
            body.stmts.push(Stmt::Define { local, value: self.locals.path(part) });
        }
        self.push(Stmt::Scope(body));
        None
    }

    /// Lowers `let _ = value`, which drops the value with its temporaries.
    fn ignore_value(&mut self, local: &syn::Local, value: Expr) -> Option<Expr> {
        let before = self.kept_temporaries;
        let mut kept = None;
        let mut body = self.body(|this| kept = Some(this.hoist(value)));
        let kept = kept?;
        if extends_temporaries(&kept) {
            self.out.extend(body.stmts);
            return Some(kept);
        }
        self.kept_temporaries = before;
        let mut local = local.clone();
        let init =
            syn::LocalInit { eq_token: Default::default(), expr: Box::new(kept), diverge: None };
        local.init = Some(init);
        body.stmts.push(Stmt::Code(Source::Local(local)));
        self.push(Stmt::Scope(body));
        None
    }
}

impl Borrows<'_> {
    /// Whether a pattern moves parts out of a value and may leave other parts.
    fn takes_apart(&self, pat: &Pat) -> bool {
        !matches!(pat, Pat::Ident(_))
            && !has_ref(pat)
            && bindings(pat).iter().all(|ident| self.locals.find(ident).is_some())
    }
}

/// Replaces the bindings of a pattern by temporaries.
struct Parts<'a, 'l> {
    lower: &'a mut Lower<'l>,
    /// The temporaries, and the locals that they are moved to.
    given: Vec<(LocalId, LocalId)>,
}

impl VisitMut for Parts<'_, '_> {
    fn visit_pat_ident_mut(&mut self, pat: &mut PatIdent) {
        if let Some(local) = self.lower.locals.find(&pat.ident) {
            // Another alternative of the pattern may have replaced the binding.
            let known = self.given.iter().find(|(_, given)| *given == local);
            let part = known.map(|(part, _)| *part).unwrap_or_else(|| {
                let part = self.lower.temporary(&self.lower.locals.path(local));
                self.given.push((part, local));
                part
            });
            let span = pat.ident.span();
            pat.ident = self.lower.locals[part].ident.clone();
            pat.ident.set_span(span);
            pat.mutability = None;
        }
        visit_mut::visit_pat_ident_mut(self, pat);
    }

    fn visit_field_pat_mut(&mut self, field: &mut syn::FieldPat) {
        self.visit_pat_mut(&mut field.pat);
        field.colon_token.get_or_insert_with(Default::default);
    }

    fn visit_expr_mut(&mut self, _: &mut Expr) {}
}

/// Whether the declared type shows that the local contains no reference.
fn is_declared_owned(local: &syn::Local) -> bool {
    split_type(&local.pat).1.is_some_and(is_owned)
}

/// Whether the type contains no reference.
pub(crate) fn is_owned(ty: &Type) -> bool {
    struct Owned(bool);
    impl Visit<'_> for Owned {
        fn visit_type(&mut self, ty: &Type) {
            self.0 &= !matches!(ty, Type::Reference(_) | Type::Infer(_) | Type::Macro(_));
            visit::visit_type(self, ty);
        }
    }
    let mut owned = Owned(true);
    owned.visit_type(ty);
    owned.0
}

/// A local as a value expression, so that the parts that a pattern does not bind are dropped with the statement.
fn as_value(pat: &Pat, value: Expr) -> Expr {
    let binds_whole = matches!(split_type(pat).0, Pat::Ident(pat) if pat.subpat.is_none());
    if binds_whole || !matches!(value, Expr::Path(_)) {
        value
    } else {
        syn::parse_quote_spanned!(value.span()=> { #value })
    }
}
