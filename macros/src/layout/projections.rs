//! Partially moved locals that are saved field by field. Only the type of such a local shows whether it owns its
//! fields.

use std::collections::BTreeMap;

use proc_macro2::{TokenStream, TokenTree};

use super::variables::Variable;
use crate::anf::is_owned;
use crate::collections::sets::Set;
use crate::ir::usage::{Place, bound_locals};
use crate::ir::{Graph, LocalId, Locals, Node, Terminator};

/// The places that contain a part in a variable of its own, if code changes their local. They must own their fields.
pub(super) fn find(graph: &Graph, variables: &[Variable]) -> Set<Place> {
    let is_changed =
        |part: &&Place| graph.usages().any(|usage| usage.mutated.contains(&part.local));
    let parts = parts(variables).filter(is_changed);
    let around = |part: &Place| {
        let (local, fields) = (part.local, part.fields.clone());
        (0..fields.len()).map(move |count| Place { local, fields: fields[..count].to_vec() })
    };
    parts.flat_map(around).collect()
}

/// By local, the moved parts of locals that may be borrows, as the source writes them.
pub(super) fn find_moved(
    graph: &Graph,
    variables: &[Variable],
) -> BTreeMap<LocalId, BTreeMap<Place, TokenStream>> {
    let held: Set<LocalId> = parts(variables).map(|part| part.local).collect();
    let mut spent: BTreeMap<LocalId, BTreeMap<Place, TokenStream>> = BTreeMap::new();
    if held.is_empty() {
        return spent;
    }
    let held = &held & &may_be_borrows(graph);
    let is_asked = |place: &&Place| !place.fields.is_empty() && held.contains(&place.local);
    for block in &graph.blocks {
        let spends = block.all_usages().flat_map(|usage| &usage.moved).filter(is_asked);
        let spends: Set<&Place> = spends.collect();
        if spends.is_empty() {
            continue;
        }
        let code: Vec<Vec<TokenTree>> =
            block.code().into_iter().map(|code| code.into_iter().collect()).collect();
        for place in spends {
            if let Some(written) = code.iter().find_map(|it| written(&graph.locals, place, it)) {
                spent.entry(place.local).or_default().entry(place.clone()).or_insert(written);
            }
        }
    }
    spent
}

/// The locals of which parts are saved.
pub(super) fn find_saved(variables: &[Variable]) -> Set<LocalId> {
    let saved =
        variables.iter().filter(|variable| variable.is_saved).map(|variable| &variable.place);
    saved.filter(|place| !place.fields.is_empty()).map(|place| place.local).collect()
}

fn parts(variables: &[Variable]) -> impl Iterator<Item = &Place> {
    variables.iter().map(|variable| &variable.place).filter(|place| !place.fields.is_empty())
}

/// The locals that code without an await initializes, and that may therefore be borrows.
fn may_be_borrows(graph: &Graph) -> Set<LocalId> {
    let mut given = Set::new();
    for block in &graph.blocks {
        for (node, usage) in block.nodes.iter().zip(&block.usages) {
            given.extend(&usage.binds);
            if let Node::Define { local, .. } = node {
                given.insert(*local);
            }
        }
        let pats = match &block.end {
            Terminator::If { cond, .. } => crate::syntax::patterns::let_patterns(cond),
            Terminator::Match { arms, .. } => arms.iter().map(|(pat, _)| pat).collect(),
            Terminator::LetElse { local, .. } => vec![&local.pat],
            _ => Vec::new(),
        };
        given.extend(pats.into_iter().flat_map(|pat| bound_locals(&graph.locals, pat)));
    }
    given.retain(|local| !graph.locals[*local].ty.as_ref().is_some_and(is_owned));
    given
}

/// The tokens with which the source writes the place.
fn written(locals: &Locals, place: &Place, tokens: &[TokenTree]) -> Option<TokenStream> {
    let ident = &locals[place.local].ident;
    let length = 1 + 2 * place.fields.len();
    let is_place = |tokens: &[TokenTree]| {
        let names = tokens.iter().step_by(2).skip(1).map(ToString::to_string);
        matches!(&tokens[0], TokenTree::Ident(first) if first == ident)
            && names.eq(place.fields.iter().map(|field| field.to_string()))
    };
    if let Some(found) = tokens.windows(length).find(|tokens| is_place(tokens)) {
        return Some(found.iter().cloned().collect());
    }
    tokens.iter().find_map(|token| match token {
        TokenTree::Group(group) => {
            written(locals, place, &group.stream().into_iter().collect::<Vec<_>>())
        }
        _ => None,
    })
}
