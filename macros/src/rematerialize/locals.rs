//! Locals that are rematerialized after a suspension instead of being saved: borrows of other locals, string literals,
//! constants, and closures that capture no mutable variable.

use syn::punctuated::Punctuated;
use syn::{Expr, Lit, Member, Pat, Token, UnOp};

use super::branch_borrows;
use super::patterns::{depends_on_guard, finds_again};
use crate::ir::usage::{Place, Usage};
use crate::ir::{LocalKind, Rematerialized, SharedPattern};
use crate::lower::Lower;
use crate::lower::borrows::Borrows;
use crate::rematerialize::patterns;
use crate::syntax::binding_modes::Bindings;
use crate::syntax::calls::{names_constant, only_wraps};
use crate::syntax::forms::is_plain_literal;
use crate::syntax::macros;
use crate::syntax::operators::is_sign;
use crate::syntax::patterns::{bindings, split_type};
use crate::syntax::source::constants::is_plain_constant;
use crate::values::runtime_calls::{gives_borrow, lends};

/// The maximum number of parameters of a rematerialized closure, from `runtime/src/generated/same_type.rs`.
const MAX_PARAMETERS: usize = 6;

/// Whether an element is a string literal or a borrow.
fn has_text(expr: &Expr) -> bool {
    match expr {
        Expr::Lit(literal) => matches!(literal.lit, Lit::Str(_) | Lit::ByteStr(_)),
        Expr::Array(expr) => expr.elems.iter().any(has_text),
        Expr::Tuple(expr) => expr.elems.iter().any(has_text),
        Expr::Reference(_) => true,
        Expr::Paren(expr) => has_text(&expr.expr),
        _ => false,
    }
}

impl Lower<'_> {
    /// The expression that rematerializes the declared local, if it can be rematerialized.
    pub(crate) fn rematerialization(&self, local: &syn::Local) -> Option<Expr> {
        let (Pat::Ident(pat), _) = split_type(&local.pat) else { return None };
        // A `mut` binding may be assigned another value.
        if pat.by_ref.is_some() || pat.subpat.is_some() || pat.mutability.is_some() {
            return None;
        }
        let init = local.init.as_ref().filter(|init| init.diverge.is_none())?;
        if self.borrows().is_rematerializable(&init.expr) {
            let mut again = (*init.expr).clone();
            if let Expr::Closure(closure) = &mut again {
                // Each block creates the closure anew, so `move` would move its captures in the first one.
                closure.capture = None;
            }
            return Some(again);
        }
        self.borrows().lookup_of(&init.expr)
    }

    /// Records how to rematerialize the bindings of `pat` that borrow parts of a place, by `ref` or because `value` is
    /// a borrow. While one of them is live, nothing changes the place, so the pattern matches again.
    pub(crate) fn note_borrows(&mut self, pat: &Pat, value: &Expr) {
        if depends_on_guard(pat) {
            return;
        }
        let pat = match pat {
            Pat::Guard(guarded) => &*guarded.pat,
            pat => pat,
        };
        if let Expr::Paren(inner) = value {
            return self.note_borrows(pat, &inner.expr);
        }
        if let (Pat::Tuple(pats), Expr::Tuple(values)) = (pat, value)
            && pats.elems.len() == values.elems.len()
            && !pats.elems.iter().any(|pat| matches!(pat, Pat::Rest(_)))
        {
            for (pat, value) in pats.elems.iter().zip(&values.elems) {
                // A place in the tuple is moved into it, and the pattern borrows from the tuple.
                let is_borrow = self.borrows().is_shared_borrow(value)
                    || self.borrows().is_mutable_borrow(value);
                if is_borrow || !self.borrows().is_place(value) {
                    self.note_borrows(pat, value);
                }
            }
            return;
        }
        let modes = Bindings::of(pat);
        let lent = self.borrows().rematerialized_scrutinee(value);
        let value = lent.as_ref().unwrap_or(value);
        let mut are_shared = self.borrows().binds_shared_borrows(pat, value);
        let borrows = if are_shared || self.borrows().binds_mutable_borrows(pat, value) {
            bindings(pat)
        } else if self.borrows().is_place(value) && finds_again(pat) {
            // The other bindings are moved or copied out, and saved.
            are_shared = !modes.has_mutable;
            modes.by_ref
        } else {
            return;
        };
        for ident in &borrows {
            let Some(local) = self.locals.find(ident) else { continue };
            // A `mut` binding may be assigned another value.
            if self.locals[local].mutable {
                continue;
            }
            let expr = patterns::of(pat, value, std::slice::from_ref(ident));
            let pattern = (!are_shared && borrows.len() > 1).then(|| {
                let (pat, value) = (pat.clone(), value.clone());
                SharedPattern { pat, value, always_matches: false }
            });
            self.locals[local].rematerialized = Some(Rematerialized { expr, pattern });
        }
    }
}

impl Borrows<'_> {
    /// Whether the expression only wraps shared borrows: `(&a, &b)`, `Some(&a)`, `Cow::from(&a)`.
    pub(crate) fn wraps_borrows(&self, expr: &Expr) -> bool {
        let are_borrows = |parts: &Punctuated<Expr, Token![,]>| {
            !parts.is_empty() && parts.iter().all(|part| self.wraps_borrows(part))
        };
        match expr {
            Expr::Paren(expr) => self.wraps_borrows(&expr.expr),
            Expr::Lit(literal) => matches!(literal.lit, Lit::Str(_)),
            Expr::Reference(borrow) => {
                borrow.mutability.is_none() && self.is_rematerializable(expr)
            }
            Expr::Path(_) => self.is_shared_borrow(expr),
            Expr::Tuple(expr) => are_borrows(&expr.elems),
            Expr::Array(expr) => are_borrows(&expr.elems),
            Expr::Call(call) => only_wraps(&call.func) && are_borrows(&call.args),
            _ => false,
        }
    }

    /// The scrutinee with its lookups rematerialized, also those in a tuple.
    pub(crate) fn rematerialized_scrutinee(&self, value: &Expr) -> Option<Expr> {
        let Expr::Tuple(tuple) = value else { return self.lookup_of(value) };
        let mut tuple = tuple.clone();
        for part in &mut tuple.elems {
            if let Some(lent) = self.lookup_of(part) {
                *part = lent;
            }
        }
        Some(Expr::Tuple(tuple))
    }

    /// Whether all bindings of `pat` are shared borrows of parts of a place.
    pub(crate) fn binds_shared_borrows(&self, pat: &Pat, value: &Expr) -> bool {
        let bindings = Bindings::of(pat);
        match value {
            Expr::Reference(expr) => {
                expr.mutability.is_none() && self.is_place(&expr.expr) && !bindings.has_reference
            }
            Expr::Path(_) if self.is_shared_borrow(value) => !bindings.has_reference,
            Expr::Call(call) => lends(call) == Some(true) && !bindings.has_reference,
            Expr::Tuple(_) => self.are_shared_borrows(value) && !bindings.has_reference,
            place => {
                self.is_place(place)
                    && bindings.are_by_ref
                    && !bindings.has_mutable
                    && finds_again(pat)
            }
        }
    }

    /// Whether the expression is a shared borrow that can be rematerialized, or a tuple of such borrows.
    pub(crate) fn are_shared_borrows(&self, value: &Expr) -> bool {
        match value {
            Expr::Tuple(tuple) => tuple.elems.iter().all(|part| self.are_shared_borrows(part)),
            Expr::Reference(expr) => expr.mutability.is_none() && self.is_place(&expr.expr),
            Expr::Call(call) => lends(call) == Some(true),
            value => self.is_shared_borrow(value),
        }
    }

    /// Whether all bindings of `pat` are mutable borrows of parts of a place.
    pub(crate) fn binds_mutable_borrows(&self, pat: &Pat, value: &Expr) -> bool {
        let bindings = Bindings::of(pat);
        let binds = match value {
            Expr::Reference(expr) => self.is_place(&expr.expr) && !bindings.has_reference,
            Expr::Path(_) if self.is_mutable_borrow(value) => !bindings.has_reference,
            Expr::Call(call) => lends(call) == Some(false) && !bindings.has_reference,
            place => self.is_place(place) && bindings.are_by_ref,
        };
        binds && finds_again(pat)
    }

    /// The expression that rematerializes the local, if `expr` names a rematerialized local.
    pub(crate) fn rematerialization_of(&self, expr: &Expr) -> Option<&Expr> {
        let Expr::Path(path) = expr else { return None };
        let local = self.locals.of_path(&path.path)?;
        self.locals[local].rematerialized_by()
    }

    /// Whether the expression names a local that is rematerialized as a shared borrow.
    pub(crate) fn is_shared_borrow(&self, expr: &Expr) -> bool {
        self.rematerialization_of(expr).is_some_and(|made| self.shares(made))
    }

    fn shares(&self, made: &Expr) -> bool {
        match made {
            Expr::Reference(made) => made.mutability.is_none(),
            Expr::Call(made) => lends(made) == Some(true),
            Expr::Match(made) => self.binds_shared_borrows(&made.arms[0].pat, &made.expr),
            Expr::If(_) => branch_borrows::all_branch_values(made, &|given| self.shares(given)),
            _ => false,
        }
    }

    /// Whether the expression names a local that is rematerialized as a mutable borrow.
    pub(crate) fn is_mutable_borrow(&self, expr: &Expr) -> bool {
        self.rematerialization_of(expr).is_some_and(|made| self.borrows_mutably(made))
    }

    /// Whether the expression returns a mutable borrow, and not a value that contains one.
    pub(crate) fn gives_mutable_borrow(&self, made: &Expr) -> bool {
        match made {
            Expr::Call(call) => self.borrows_mutably(made) && gives_borrow(call),
            Expr::If(_) => {
                branch_borrows::all_branch_values(made, &|given| self.gives_mutable_borrow(given))
            }
            made => self.borrows_mutably(made),
        }
    }

    fn borrows_mutably(&self, made: &Expr) -> bool {
        match made {
            Expr::Reference(made) => made.mutability.is_some(),
            Expr::Call(made) => lends(made) == Some(false),
            Expr::Match(made) => {
                let pat = &made.arms[0].pat;
                !self.binds_shared_borrows(pat, &made.expr)
                    && self.binds_mutable_borrows(pat, &made.expr)
            }
            Expr::If(_) => {
                branch_borrows::all_branch_values(made, &|given| self.borrows_mutably(given))
            }
            _ => false,
        }
    }

    pub(crate) fn is_rematerializable(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Lit(literal) => {
                matches!(literal.lit, Lit::Str(_) | Lit::ByteStr(_) | Lit::CStr(_))
            }
            // A run keeps the value that a numeric constant had in the build that read it.
            Expr::Path(path) => {
                self.is_constant_path(expr) && !is_plain_constant(&path.path)
                    || self.is_rematerialized_local(expr)
            }
            Expr::Reference(expr) if expr.mutability.is_some() => self.is_place(&expr.expr),
            Expr::Reference(expr) => self.is_constant(&expr.expr) || self.is_place(&expr.expr),
            // Other arrays and tuples are saved.
            Expr::Array(_) | Expr::Tuple(_) => {
                has_text(expr) && self.is_constant(expr) || self.wraps_borrows(expr)
            }
            Expr::Call(_) => self.wraps_borrows(expr),
            Expr::Macro(call) => macros::is_static(&call.mac),
            // Usually a text. Other parts of constants can be evaluated again, too.
            Expr::Field(_) | Expr::Index(_) => self.is_constant(expr),
            Expr::Closure(closure) => {
                let usage = Usage::of_expr(self.locals, expr);
                // The capture has the value that it had when the closure was created.
                let stays = |place: &Place| {
                    let local = &self.locals[place.local];
                    local.is_rematerialized() || !local.mutable
                };
                closure.asyncness.is_none()
                    && closure.inputs.len() <= MAX_PARAMETERS
                    && usage.mutated.iter().all(|local| !self.locals[*local].mutable)
                    && usage.reads.iter().all(stays)
            }
            Expr::Paren(expr) => self.is_rematerializable(&expr.expr),
            _ => false,
        }
    }

    /// Whether the expression always has the same value: a literal, or a path that is not a local.
    pub(crate) fn never_changes(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Lit(_) | Expr::Closure(_) => true,
            Expr::Path(path) => self.locals.of_path(&path.path).is_none(),
            Expr::Verbatim(_) => true,
            Expr::Paren(expr) => self.never_changes(&expr.expr),
            Expr::Group(expr) => self.never_changes(&expr.expr),
            Expr::Reference(expr) => self.never_changes(&expr.expr),
            Expr::Cast(expr) => self.never_changes(&expr.expr),
            Expr::Unary(expr) => is_sign(expr.op) && is_plain_literal(&expr.expr),
            Expr::Tuple(expr) => expr.elems.iter().all(|elem| self.never_changes(elem)),
            _ => false,
        }
    }

    /// Whether the expression is a constant that rustc would promote.
    pub(crate) fn is_constant(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Lit(_) => true,
            Expr::Path(_) => self.is_constant_path(expr),
            Expr::Array(expr) => expr.elems.iter().all(|elem| self.is_constant(elem)),
            Expr::Tuple(expr) => expr.elems.iter().all(|elem| self.is_constant(elem)),
            Expr::Repeat(expr) => self.is_constant(&expr.expr) && self.is_constant(&expr.len),
            Expr::Reference(expr) => expr.mutability.is_none() && self.is_constant(&expr.expr),
            Expr::Unary(expr) => is_sign(expr.op) && is_plain_literal(&expr.expr),
            Expr::Index(expr) => self.is_constant(&expr.expr) && self.is_constant(&expr.index),
            Expr::Range(expr) => {
                [&expr.start, &expr.end].into_iter().flatten().all(|end| self.is_constant(end))
            }
            Expr::Field(expr) => self.is_constant(&expr.base),
            Expr::Paren(expr) => self.is_constant(&expr.expr),
            _ => false,
        }
    }

    fn is_rematerialized_local(&self, expr: &Expr) -> bool {
        self.rematerialization_of(expr).is_some()
    }

    /// Whether the path names a constant, judged by its spelling.
    pub(crate) fn is_constant_path(&self, expr: &Expr) -> bool {
        let Expr::Path(path) = expr else { return false };
        let local = self.locals.of_path(&path.path);
        local.is_none() && names_constant(&path.path)
    }

    /// Whether the expression is a place whose projections always lead to the same part.
    pub(crate) fn is_place(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Path(path) => {
                self.locals.of_path(&path.path).is_some() || self.is_constant_path(expr)
            }
            // A literal lives as long as the program.
            Expr::Lit(literal) => matches!(literal.lit, Lit::Str(_)),
            Expr::Field(expr) => {
                matches!(expr.member, Member::Named(_) | Member::Unnamed(_))
                    && self.is_place(&expr.base)
            }
            // The text may have been replaced by another one since.
            Expr::Index(expr) => {
                self.is_fixed(&expr.index)
                    && self.is_place(&expr.expr)
                    && !self.is_changing_text(&expr.expr)
            }
            Expr::Unary(expr) => {
                matches!(expr.op, UnOp::Deref(_))
                    && self.is_place(&expr.expr)
                    && !self.is_changing_text(&expr.expr)
            }
            Expr::Paren(expr) => self.is_place(&expr.expr),
            _ => false,
        }
    }

    /// Whether the expression is a `mut` variable of a borrowed text. rustc allows another text to be assigned to it
    /// while parts of the old one are still borrowed; those are saved separately.
    pub(crate) fn is_changing_text(&self, expr: &Expr) -> bool {
        let Expr::Path(path) = expr else { return false };
        let local = self.locals.of_path(&path.path);
        local.map(|local| &self.locals[local]).is_some_and(|local| {
            local.mutable && matches!(local.saving.kind, LocalKind::Text | LocalKind::Lent)
        })
    }
}
