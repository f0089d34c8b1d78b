//! Locals that an arm rematerializes at its beginning, and the borrows of loops.

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote};
use syn::Expr;
use syn::visit_mut::VisitMut;

use super::arm::loop_borrow;
use super::large_literals::allowed;
use super::printer::Printer;
use super::rewrite::Rewrite;
use super::type_ties::tie_again;
use super::{add, constants};
use crate::collections::sets::Set;
use crate::ir::LocalId;
use crate::rematerialize::patterns;

/// Variables that one expression computes.
struct Computed {
    /// The variable, or a tuple of them.
    pat: TokenStream,
    /// The annotated type.
    ty: Option<TokenStream>,
    expr: Expr,
    /// Makes rustc infer the type that the variable has in other arms, and checks that constants are the same there.
    tie: TokenStream,
}

impl Printer<'_> {
    /// Rematerializes the locals that are declared here. If regions may do so, too, this declares the variables, and
    /// [`rematerialize_late`](Self::rematerialize_late) assigns them.
    pub(super) fn rematerialize(
        &mut self,
        out: &mut TokenStream,
        is_declared: impl Fn(LocalId) -> bool,
    ) {
        let locals = &self.arm.machine.graph.locals;
        let rematerialized =
            self.arm.segment.rematerialized.iter().copied().filter(|local| is_declared(*local));
        let is_late = self.arm.lends_to_regions();
        if is_late {
            for local in rematerialized {
                let (ident, ty) = (&locals[local].ident, self.annotated(local));
                add::made(out, quote!(let #ident #ty;));
            }
        } else {
            for Computed { pat, ty, expr, tie } in
                self.computed(&rematerialized.collect::<Vec<_>>())
            {
                let allowed = allowed(&expr);
                add::made(out, quote!(#allowed let #pat #ty = #expr; #tie));
            }
        }
        for (ident, expr) in self.loop_borrows(is_declared) {
            let value = (!is_late).then(|| quote!(= #expr));
            let allowed = allowed(&expr);
            add::made(out, quote!(#allowed let #ident #value;));
        }
    }

    /// Assigns the rematerialized locals, after the regions whose borrows would conflict with theirs.
    pub(super) fn rematerialize_late(&mut self) -> TokenStream {
        let made = self.computed(&self.arm.segment.rematerialized).into_iter();
        let made = made.map(|Computed { pat, expr, tie, .. }| {
            let assign = assign(&pat, &expr);
            quote!(#assign #tie)
        });
        let arm = self.arm;
        let is_declared = |local| arm.declared_in_order().any(|declared| declared == local);
        let held = self.loop_borrows(is_declared).into_iter();
        made.chain(held.map(|(ident, expr)| assign(&ident, &expr))).collect()
    }

    /// The expressions that compute locals. Locals of one shared pattern have one expression, because rustc would refuse
    /// to evaluate the pattern once for each.
    fn computed(&mut self, rematerialized: &[LocalId]) -> Vec<Computed> {
        let arm = self.arm;
        let locals = &arm.machine.graph.locals;
        let is_together = |a: &LocalId, b: &LocalId| {
            let pattern = locals[*a].shared_pattern();
            pattern.is_some() && pattern == locals[*b].shared_pattern()
        };
        let groups = rematerialized.chunk_by(is_together).filter_map(|group| {
            let of_group = group.iter().map(|local| locals[*local].ident.clone());
            let idents: Vec<_> = of_group.collect();
            let mut check = None;
            let (mut expr, ty) = match (group, &locals[group[0]]) {
                ([id], local) => {
                    let made = local.rematerialized_by()?;
                    check = constants::check(arm, *id, made);
                    (made.clone(), self.annotated(*id))
                }
                (_, local) => (patterns::together(local.shared_pattern()?, &idents), None),
            };
            Rewrite::new(self).visit_expr_mut(&mut expr);
            let tie = [Some(tie_again(arm.machine, group.iter().copied())), check];
            let tie = tie.into_iter().flatten().collect();
            Some(Computed { pat: patterns::tuple(&idents), ty, expr, tie })
        });
        groups.collect()
    }

    /// The borrows of the loops that are held up to the next jumps, with their variables.
    fn loop_borrows(&mut self, is_declared: impl Fn(LocalId) -> bool) -> Vec<(Ident, Expr)> {
        let arm = self.arm;
        let held: Set<LocalId> = arm.segment.held.values().flatten().copied().collect();
        let held = held.into_iter().filter(|local| is_declared(*local));
        let borrows = held.filter_map(|local| {
            let (ident, expr) = loop_borrow(&arm.machine.graph.locals[local])?;
            let mut expr = expr.clone();
            Rewrite::new(self).visit_expr_mut(&mut expr);
            Some((ident, expr))
        });
        borrows.collect()
    }

    /// The annotation of a local.
    fn annotated(&self, local: LocalId) -> Option<TokenStream> {
        let ty = self.arm.machine.graph.locals[local].ty.as_ref()?;
        Some(quote!(: #ty))
    }
}

/// Assigns variables that are declared before.
fn assign(pat: &impl ToTokens, expr: &Expr) -> TokenStream {
    match allowed(expr) {
        Some(allowed) => quote!(#allowed { #pat = #expr; }),
        None => quote!(#pat = #expr;),
    }
}
