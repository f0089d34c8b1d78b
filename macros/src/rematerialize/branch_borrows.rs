//! Borrows that branches select: `let name = if is_known { &order.name } else { &other };`.
//!
//! ```text
//! let name = match owner { Some(name) => name, None => &other };
//!
//! let branch;
//! let name = match owner { Some(name) => { branch = 0; name } None => { branch = 1; &other } };
//! ```
//!
//! The machine saves the number of the branch. After an await it rematerializes the borrow of that branch, and
//! evaluates nothing else of the branches again.

use quote::{ToTokens, quote_spanned};
use syn::spanned::Spanned;
use syn::visit::Visit;
use syn::{Expr, Ident, Pat, Stmt};

use super::branch_values::{Around, each_branch};
use super::extended_temporaries::lender;
use crate::diagnostics::rules::Rule;
use crate::ir;
use crate::ir::LocalKind;
use crate::lower::borrows::Borrows;
use crate::lower::{Dest, Lower};
use crate::rematerialize::patterns;
use crate::rematerialize::patterns::depends_on_guard;
use crate::syntax::branches::awaits_in_branch;
use crate::syntax::forms::gives_option;
use crate::syntax::hygiene::Names;
use crate::syntax::patterns::{bindings, split_type};
use crate::syntax::{macros, suspend};
use crate::values::projections;

impl Lower<'_> {
    /// Lets each branch of the initializer assign its number, if the branches return borrows, and records how to
    /// rematerialize the declared local. If no later await needs the local (`!is_held`), only branches that await are
    /// changed.
    pub(crate) fn number_branches(&mut self, local: &mut syn::Local, is_held: bool) {
        let (Pat::Ident(pat), _) = split_type(&local.pat) else { return };
        let Some(id) = self.locals.find(&pat.ident) else { return };
        let Some(init) = local.init.as_mut().filter(|init| init.diverge.is_none()) else { return };
        // A `mut` binding may be assigned another value.
        let is_simple = pat.by_ref.is_none() && pat.subpat.is_none() && pat.mutability.is_none();
        let awaits = suspend::expr(&init.expr);
        if !is_simple || awaits && !local.attrs.is_empty() {
            return;
        }
        if !is_held && !awaits_in_branch(&init.expr) {
            return;
        }
        self.save_keys_of_scrutinee(&mut init.expr);
        let awaits = suspend::expr(&init.expr);
        let source = self.locals[id].identity.name.clone();
        let again = self.numbered(&mut init.expr, &source, is_held, awaits);
        let Some(again) = again else {
            if self.locals[id].saving.kind == LocalKind::Value {
                self.check_awaited_borrows(&mut init.expr);
            }
            return;
        };
        // The borrow is rematerialized after the branches, which then have no value.
        if awaits {
            let branches = std::mem::replace(&mut *init.expr, again.clone());
            self.expr_stmt(branches, None, Dest::Discard);
        }
        self.locals[id].rematerialized = Some(again.into());
    }

    /// Reports a branch that borrows from an awaited value, which is dropped at the end of the branch.
    fn check_awaited_borrows(&self, value: &mut Expr) {
        if !awaits_in_branch(value) {
            return;
        }
        each_branch(value, &mut Vec::new(), &mut |given, _| {
            let Expr::Reference(borrow) = given else { return Some(()) };
            if lender(&mut borrow.expr).is_some_and(|made| suspend::expr(made)) {
                self.diagnostics.error_at(
                    &*given,
                    Rule::SAVED_LOCALS,
                    "a branch cannot borrow a value that it awaits",
                    "await it before: `let loaded = if … { Some(load(id).await) } else { None };`, and borrow it: \
                     `loaded.as_ref().unwrap_or(&other)`; or let each branch return a value",
                );
            }
            Some(())
        });
    }

    /// Lets each branch assign its number, if the branches return borrows, and returns the expression that
    /// rematerializes `value`. `source` is its name. Unless `is_held`, a method that may return an `Option` by value is
    /// left alone. With `discards`, the branches keep their number only.
    fn numbered(
        &mut self,
        value: &mut Expr,
        source: &str,
        is_held: bool,
        discards: bool,
    ) -> Option<Expr> {
        let is_block = matches!(value, Expr::Block(block) if block.label.is_none());
        let has_branches = matches!(value, Expr::If(_) | Expr::Match(_));
        if !(has_branches || is_held && is_block) {
            return None;
        }
        let (mut made, mut borrows) = (Vec::new(), false);
        each_branch(value, &mut Vec::new(), &mut |given, around| {
            borrows |= self.borrows().borrows(given);
            if !is_held && gives_option(given) {
                return None;
            }
            made.push(self.borrows().rematerialized_branch(given, around)?);
            Some(())
        })?;
        let last = made.pop().filter(|_| borrows)?;
        let source = format!("branch of {source}");
        let branch = self.new_temporary(&source, LocalKind::Value, value.span());
        // The number depends on `value` alone, not on other branches.
        self.note_source(branch, &*value);
        self.push(ir::Stmt::Declare(branch));
        let branch = self.locals[branch].ident.clone();
        let mut numbers = 0u32..;
        each_branch(value, &mut Vec::new(), &mut |given, _| {
            let (number, span) = (numbers.next(), given.span());
            *given = match discards {
                // Other branches, or the use of the value, determine the type.
                true if is_none(given) || self.borrows().is_constant(given) => {
                    syn::parse_quote_spanned!(span=> { #branch = #number; })
                }
                true => syn::parse_quote_spanned!(span=> { #branch = #number; let _ = #given; }),
                false => syn::parse_quote_spanned!(span=> { #branch = #number; #given }),
            };
            Some(())
        });
        Some(made.iter().enumerate().rev().fold(last, |rest, (n, given)| {
            let (n, span) = (u32::try_from(n).ok(), given.span());
            syn::parse_quote_spanned!(span=> if #branch == #n { #given } else { #rest })
        }))
    }
}

impl Borrows<'_> {
    /// Whether the value of a branch borrows anything besides a literal or a constant.
    fn borrows(&self, given: &Expr) -> bool {
        match given {
            Expr::Paren(expr) => self.borrows(&expr.expr),
            Expr::Call(call) => call.args.iter().any(|part| self.borrows(part)),
            Expr::Lit(_) => false,
            given => !is_none(given) && !self.is_constant(given),
        }
    }

    /// The expression that rematerializes the value of a branch.
    fn rematerialized_branch(&self, given: &Expr, around: &Around) -> Option<Expr> {
        match given {
            Expr::Paren(expr) => self.rematerialized_branch(&expr.expr, around),
            Expr::Call(call) if is_some(&call.func) => {
                let mut call = call.clone();
                for part in &mut call.args {
                    *part = self.rematerialized_branch(part, around)?;
                }
                Some(Expr::Call(call))
            }
            given if is_none(given) => Some(given.clone()),
            // Bindings of an enclosing pattern do not exist after the await, so the pattern is matched again.
            given if names_bound(given, around) => {
                let (mut around, mut again) = (around.as_slice(), None);
                while let (None, Some(((pat, value), outer))) = (&again, around.split_last()) {
                    let is_there = !names_bound(value, outer);
                    again =
                        is_there.then(|| self.rematerialized_binding(given, pat, value)).flatten();
                    around = outer;
                }
                again
            }
            given if self.is_rematerializable(given) => Some(given.clone()),
            given => self.lookup_of(given),
        }
    }

    /// The expression that rematerializes a borrow bound by a pattern around the branch, or a part of the borrowed
    /// value.
    fn rematerialized_binding(&self, given: &Expr, pat: &Pat, value: &Expr) -> Option<Expr> {
        let pat = match pat {
            pat if depends_on_guard(pat) => return None,
            Pat::Guard(guarded) => &*guarded.pat,
            pat => pat,
        };
        let lent = self.lookup_of(value);
        let value = lent.as_ref().unwrap_or(value);
        let mut bound = bindings(pat);
        if let Expr::Path(path) = given {
            let ident = path.path.get_ident().filter(|ident| bound.contains(ident))?;
            let is_borrow =
                self.binds_shared_borrows(pat, value) || self.binds_mutable_borrows(pat, value);
            return is_borrow.then(|| patterns::of(pat, value, std::slice::from_ref(ident)));
        }
        let lends = self.binds_shared_borrows(pat, value)
            && projections::returns_part(given, pat, false, false);
        lends.then(|| {
            let (span, otherwise) = (given.span(), patterns::otherwise());
            let names = Names::of(given.to_token_stream());
            bound.retain(|ident| names.has(&ident.to_string()));
            let pat = patterns::only(pat, &bound);
            let again = quote_spanned! {span=>
                match #value { #pat => #given, #otherwise => ::core::unreachable!() }
            };
            syn::parse_quote_spanned!(span=> ::piton::__private::lent_by((), #again))
        })
    }
}

/// Whether the expression names a binding of one of the patterns.
fn names_bound(expr: &Expr, around: &[(Pat, Expr)]) -> bool {
    struct Named<'a>(&'a [Ident], bool);
    impl Visit<'_> for Named<'_> {
        fn visit_expr_path(&mut self, path: &syn::ExprPath) {
            self.1 |= path.path.get_ident().is_some_and(|ident| self.0.contains(ident));
        }
        fn visit_macro(&mut self, mac: &syn::Macro) {
            macros::scan_names(&mac.tokens, &mut |name| {
                self.1 |= self.0.iter().any(|it| it == name)
            });
        }
    }
    let bound: Vec<_> = around.iter().flat_map(|(pat, _)| bindings(pat)).collect();
    let mut named = Named(&bound, false);
    named.visit_expr(expr);
    named.1
}

/// Whether `is_so` holds for the values of all branches, also inside `Some`.
pub(crate) fn all_branch_values(made: &Expr, is_so: &impl Fn(&Expr) -> bool) -> bool {
    match made {
        Expr::If(made) => {
            let mut ends = made.then_branch.stmts.iter().filter_map(|stmt| match stmt {
                Stmt::Expr(given, None) => Some(given),
                _ => None,
            });
            ends.all(|given| all_branch_values(given, is_so))
                && made.else_branch.iter().all(|(_, otherwise)| all_branch_values(otherwise, is_so))
        }
        Expr::Block(made) => made.block.stmts.iter().all(|stmt| match stmt {
            Stmt::Expr(given, None) => all_branch_values(given, is_so),
            _ => true,
        }),
        Expr::Call(call) if is_some(&call.func) => call.args.iter().all(is_so),
        made => is_none(made) || is_so(made),
    }
}

fn is_none(expr: &Expr) -> bool {
    matches!(expr, Expr::Path(path) if path.path.is_ident("None"))
}

fn is_some(expr: &Expr) -> bool {
    matches!(expr, Expr::Path(path) if path.path.is_ident("Some"))
}
