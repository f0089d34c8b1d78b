//! `match` with guards that await.
//!
//! A guard sees the bindings of its pattern only by reference, and if it fails, later arms are tried. So the arms
//! are split at every such guard:
//!
//! ```text
//! match s { A(x) if g(x).await => a, b => c }
//!
//! 'done: {
//!     match s {
//!         A(ref y) => if g(*y).await { match s { A(x) => break 'done a, _ => unreachable!() } }
//!         _ => {}
//!     }
//!     match s { b => break 'done c, _ => unreachable!() }
//! }
//! ```

use std::collections::HashMap;

use proc_macro2::{Delimiter, Group, Span, TokenStream, TokenTree};
use quote::{quote, quote_spanned};
use syn::visit_mut::{self, VisitMut};
use syn::{Expr, ExprMatch, Ident, Macro, Pat};

use crate::ir::usage::Usage;
use crate::ir::{Arm, Body, LocalKind, MadeWith, Stmt, TargetId};
use crate::lower::borrows::Borrows;
use crate::lower::labels::JumpKind;
use crate::lower::{Dest, Lower};
use crate::rematerialize::patterns;
use crate::rematerialize::patterns::otherwise;
use crate::syntax::branches::{awaits, in_arm};
use crate::syntax::macros;
use crate::syntax::macros::Piece;
use crate::syntax::names::without_prefix;
use crate::syntax::patterns::is_binding;
use crate::values::runtime_calls::lends;

impl Lower<'_> {
    /// A `match` of which a guard awaits; nothing in `scrutinee` does.
    pub(crate) fn guarded_match(&mut self, expr: ExprMatch, scrutinee: Expr, dest: Dest) {
        let span = expr.match_token.span;
        let scrutinee = self.keep_in(scrutinee);
        let lent = self.borrows().lent_together(&scrutinee);
        let lent = lent.filter(|lent| {
            self.borrows().are_shared_borrows(lent) || self.borrows().is_to_be_changed(lent)
        });
        let scrutinee = lent.unwrap_or(scrutinee);
        let scrutinee = if self.borrows().stays(&scrutinee) {
            scrutinee
        } else {
            self.borrowed += 1;
            self.spill(scrutinee)
        };
        // The arms are apart from here on, so rustc could not tell.
        self.code(patterns::check_all(&expr.arms, &scrutinee));
        let (dest, returns) = self.jump_dest(dest, span);
        let target = self.enter(None, JumpKind::Block, dest);
        let body = self.body(|this| {
            let mut arms = this.with_alternatives(expr.arms).into_iter();
            let mut before = TokenStream::new();
            while this.arms_to_guard(&mut arms, &scrutinee, dest, target, &mut before) {}
        });
        self.jumps.leave();
        self.push(Stmt::Labeled { target, dest: dest.local(), body });
        self.deliver((dest, returns));
    }

    /// Emits the arms up to the next guard that awaits. Whether there is one.
    fn arms_to_guard(
        &mut self,
        arms: &mut std::vec::IntoIter<syn::Arm>,
        scrutinee: &Expr,
        dest: Dest,
        target: TargetId,
        before: &mut TokenStream,
    ) -> bool {
        let mut list = Vec::new();
        let mut goes_on = false;
        for arm in arms.by_ref() {
            let meant = in_arm(&arm.pat, before);
            self.note_borrows(&arm.pat, scrutinee);
            if !awaits(&arm) {
                let mut pat = arm.pat;
                if let Pat::Guard(pat) = &mut pat {
                    *pat.guard = self.opaque(std::mem::replace(&mut *pat.guard, Expr::PLACEHOLDER));
                }
                let body = self.inside(&meant, |this| this.arm_body(*arm.body, dest, target));
                list.push(Arm { pat, body });
                continue;
            }
            let Pat::Guard(guarded) = arm.pat else { continue };
            let mut seen = (*guarded.pat).clone();
            let mut guard = *guarded.guard;
            let used = self.by_reference(&mut seen, &mut guard, scrutinee);
            let body = self.body(|this| {
                let take = |this: &mut Self| {
                    let mut taken = this.arm_body(*arm.body, dest, target);
                    // The arm need not use what the guard has used.
                    let see =
                        used.iter().map(|ident| Stmt::Code(syn::parse_quote!(let _ = &#ident;)));
                    taken.stmts.splice(..0, see);
                    let arms =
                        vec![Arm { pat: *guarded.pat, body: taken }, this.never(dest, target)];
                    this.push(Stmt::Match { scrutinee: scrutinee.clone(), arms });
                };
                this.inside(&meant, |this| this.condition(guard, take, |_| {}));
            });
            list.push(Arm { pat: seen, body });
            list.push(Arm { pat: otherwise(), body: Body::default() });
            goes_on = true;
            break;
        }
        if !goes_on {
            list.push(self.never(dest, target));
        }
        self.push(Stmt::Match { scrutinee: scrutinee.clone(), arms: list });
        goes_on
    }

    fn arm_body(&mut self, body: Expr, dest: Dest, target: TargetId) -> Body {
        self.body(|this| {
            this.value(body, dest);
            this.push(Stmt::Break(target));
        })
    }

    /// An arm for the values that other arms take, which rustc does not know.
    fn never(&mut self, dest: Dest, target: TargetId) -> Arm {
        let unreachable = Expr::Verbatim(quote!(::core::unreachable!()));
        Arm { pat: otherwise(), body: self.arm_body(unreachable, dest, target) }
    }

    /// Makes the pattern bind references, to what the guard uses and nothing else, and the guard use
    /// those. Gives what it uses.
    fn by_reference(&mut self, pat: &mut Pat, guard: &mut Expr, scrutinee: &Expr) -> Vec<Ident> {
        let is_changed = self.borrows().is_to_be_changed(scrutinee);
        let binds_references = is_changed
            || matches!(scrutinee, Expr::Reference(_))
            || self.borrows().are_shared_borrows(scrutinee);
        let used = Usage::of_expr(&self.locals, guard).mentions;
        let mut seen = See { lower: self, used: Vec::new(), new: HashMap::new(), binds_references };
        seen.used = used.into_iter().map(|id| seen.lower.locals[id].ident.clone()).collect();
        seen.visit_pat_mut(pat);
        let (new, mut used) = (seen.new, seen.used);
        // After an await in the guard they are made again from what is matched.
        for (ident, _) in new.values() {
            if let Some(local) = self.locals.find(ident) {
                let one = std::slice::from_ref(ident);
                self.locals[local].remade = Some(patterns::of(pat, scrutinee, one));
                if is_changed && new.len() > 1 {
                    let (pat, value) = (pat.clone(), scrutinee.clone());
                    let made_with = MadeWith { pat, value, always_matches: false };
                    self.locals[local].made_with = Some(made_with);
                }
            }
        }
        Uses(&new).visit_expr_mut(guard);
        used.retain(|ident| new.contains_key(&ident.to_string()));
        used
    }
}

impl Borrows<'_> {
    /// Whether the expression can be evaluated for each of the arms and gives the same each time.
    fn stays(&self, scrutinee: &Expr) -> bool {
        is_place(scrutinee)
            || self.is_place(scrutinee)
            || self.are_shared_borrows(scrutinee)
            || self.is_to_be_changed(scrutinee)
    }

    /// Whether the expression is a mutable borrow that is made again.
    fn is_to_be_changed(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Reference(expr) => expr.mutability.is_some() && self.is_place(&expr.expr),
            Expr::Call(call) => lends(call) == Some(false),
            expr => self.is_mutable_borrow(expr),
        }
    }
}

/// Whether evaluating the expression twice gives the same.
fn is_place(expr: &Expr) -> bool {
    match expr {
        Expr::Path(_) | Expr::Lit(_) => true,
        Expr::Field(expr) => is_place(&expr.base),
        Expr::Reference(expr) => is_place(&expr.expr),
        Expr::Paren(expr) => is_place(&expr.expr),
        _ => false,
    }
}

/// Rewrites the bindings of a pattern.
struct See<'a, 'l> {
    lower: &'a mut Lower<'l>,
    used: Vec<Ident>,
    /// By name: the new binding, and whether it is to be dereferenced.
    new: HashMap<String, (Ident, bool)>,
    /// Whether bindings are references without being told to.
    binds_references: bool,
}

impl VisitMut for See<'_, '_> {
    fn visit_pat_mut(&mut self, pat: &mut Pat) {
        let Pat::Ident(binding) = pat else { return visit_mut::visit_pat_mut(self, pat) };
        if !is_binding(binding) {
            return;
        }
        if let Some((_, inner)) = &mut binding.subpat {
            self.visit_pat_mut(inner);
        }
        if !self.used.contains(&binding.ident) {
            *pat = patterns::without_binding(binding);
            return;
        }
        let name = binding.ident.to_string();
        let is_value = binding.by_ref.is_none() && !self.binds_references;
        let (ident, _) = match self.new.get(&name) {
            Some(known) => known.clone(),
            None => {
                let new = (self.lower.seen(&binding.ident), is_value);
                self.new.insert(name, new.clone());
                new
            }
        };
        binding.ident = ident;
        binding.mutability = None;
        if is_value {
            binding.by_ref = Some(Default::default());
        }
    }

    fn visit_field_pat_mut(&mut self, field: &mut syn::FieldPat) {
        self.visit_pat_mut(&mut field.pat);
        field.colon_token.get_or_insert_with(Default::default);
    }

    fn visit_expr_mut(&mut self, _: &mut Expr) {}
}

impl Lower<'_> {
    /// A local for what a guard sees of `ident`. Its name can stand in format strings.
    fn seen(&mut self, ident: &Ident) -> Ident {
        let name = ident.to_string();
        let plain = without_prefix(&name);
        let new = Ident::new(&self.free_name(plain), ident.span());
        let copy = self.locals.add(new.clone(), plain, false, LocalKind::Value);
        self.locals.note_copy(copy, ident);
        new
    }
}

/// Rewrites the uses of bindings.
struct Uses<'a>(&'a HashMap<String, (Ident, bool)>);

impl Uses<'_> {
    /// What stands for the use of a binding.
    fn used(&self, binding: &Ident) -> Option<TokenTree> {
        let (new, is_value) = self.0.get(&binding.to_string())?;
        let mut ident = new.clone();
        ident.set_span(binding.span());
        if !is_value {
            return Some(ident.into());
        }
        let at = Span::mixed_site().located_at(binding.span());
        let mut value = Group::new(Delimiter::Parenthesis, quote_spanned!(at=> *#ident));
        value.set_span(at);
        Some(value.into())
    }
}

impl VisitMut for Uses<'_> {
    fn visit_expr_mut(&mut self, expr: &mut Expr) {
        let used = match expr {
            Expr::Path(path) => path.path.get_ident().and_then(|ident| self.used(ident)),
            _ => None,
        };
        match used {
            Some(used) => *expr = syn::parse_quote!(#used),
            None => visit_mut::visit_expr_mut(self, expr),
        }
    }

    fn visit_field_value_mut(&mut self, field: &mut syn::FieldValue) {
        self.visit_expr_mut(&mut field.expr);
        if !matches!(field.expr, Expr::Path(_)) {
            field.colon_token.get_or_insert_with(Default::default);
        }
    }

    fn visit_macro_mut(&mut self, mac: &mut Macro) {
        let Some(mut pieces) = macros::parse(mac) else {
            let tokens = std::mem::take(&mut mac.tokens);
            mac.tokens = macros::replace_names(tokens, &|ident| self.used(ident));
            return;
        };
        let format = macros::format_string(mac, &pieces);
        for (index, piece) in pieces.iter_mut().enumerate() {
            let Piece::Expr(expr, _) = piece else { continue };
            match macros::literal_text(expr) {
                Some(text) if format == Some(index) => {
                    let rename = |name: &str| self.0.get(name).map(|(new, _)| new.to_string());
                    let renamed = macros::rename_captures(&text.value(), rename);
                    let lit = syn::Lit::Str(syn::LitStr::new(&renamed, text.span()));
                    **expr = Expr::Lit(syn::ExprLit { attrs: Vec::new(), lit });
                }
                _ => self.visit_expr_mut(expr),
            }
        }
        mac.tokens = macros::unparse(&pieces);
    }
}
