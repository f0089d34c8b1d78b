//! Uses of variables that rustc would report as unused because generated variables are used instead.

use proc_macro2::TokenStream;
use syn::Pat;

use super::add;
use super::add::add;
use super::arm::Arm;
use super::part_ownership::tie_owners;
use super::type_ties::tie_again;
use crate::ir::LocalId;
use crate::ir::usage::bound_locals;

/// Uses the variables of a pattern that only other segments use, and tells tokens their types.
pub(super) fn use_bound(arm: Arm<'_>, pat: &Pat) -> TokenStream {
    use_those(arm, pat, |_| true)
}

/// As [`use_bound`], for the patterns of a condition or arm: uses only rematerialized borrows from which no other one of
/// the patterns is made, and ties the borrows to their tokens.
pub(super) fn use_borrows(arm: Arm<'_>, pats: &[&Pat]) -> TokenStream {
    let graph = arm.machine.graph;
    let locals = &graph.locals;
    let bound: Vec<_> = pats.iter().flat_map(|pat| bound_locals(locals, pat)).collect();
    if bound.is_empty() {
        return TokenStream::new();
    }
    let is_held = |id: LocalId| arm.segment.held.values().flatten().any(|held| *held == id);
    let is_used = |id: LocalId| {
        let mut others = bound.iter().filter(|other| **other != id);
        others.any(|other| graph.sources_of(*other).contains(&id))
    };
    let is_wanted = |id| locals[id].is_rematerialized() && !is_held(id) && !is_used(id);
    let mut out: TokenStream = pats.iter().map(|pat| use_those(arm, pat, is_wanted)).collect();
    add::made(&mut out, tie_again(arm.machine, bound.iter().copied()));
    out
}

fn use_those(arm: Arm<'_>, pat: &Pat, is_wanted: impl Fn(LocalId) -> bool) -> TokenStream {
    let (idle, ask) = (&arm.segment.idle, tie_owners(arm.machine, pat));
    if idle.is_empty() {
        return ask;
    }
    let locals = &arm.machine.graph.locals;
    let bound = bound_locals(locals, pat).into_iter();
    let mut uses = TokenStream::new();
    let out = &mut uses;
    for id in bound.filter(|id| idle.contains(id) && is_wanted(*id)) {
        let ident = &locals[id].ident;
        add!(out, let _ = &#ident;);
    }
    add::made(out, ask);
    uses
}
