//! The variables of the step function: locals and projections that outlive their block.

use syn::Ident;

use crate::collections::sets::Set;
use crate::ir::usage::Place;
use crate::ir::{BlockId, Graph, LocalKind, RegionId};
use crate::syntax::hygiene::hidden;
use crate::syntax::names::without_prefix;

/// Index into [`Layout::variables`](super::types::Layout::variables).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct VariableId(pub(crate) usize);

/// A local, or a projection of one, that outlives its block.
#[derive(Debug)]
pub(crate) struct Variable {
    pub(crate) place: Place,
    /// Its name in the step function: that of the local, or a generated one for a projection.
    pub(crate) ident: Ident,
    /// The name under which it is stored.
    pub(crate) stored: String,
    pub(crate) mutable: bool,
    pub(crate) kind: LocalKind,
    /// Whether a state saves it.
    pub(crate) is_saved: bool,
    /// The machines (the function's own, or that of a region) in which segments pass it on within a step.
    pub(crate) passed_in: Set<Option<RegionId>>,
    /// Whether it may be passed on in its encoded form.
    pub(crate) comes_saved: bool,
}

pub(super) struct Variables {
    pub(super) list: Vec<Variable>,
    /// By local.
    by_local: Vec<Vec<VariableId>>,
}

impl Variables {
    pub(super) fn of(graph: &Graph) -> Self {
        Self { list: Vec::new(), by_local: graph.locals.ids().map(|_| Vec::new()).collect() }
    }

    pub(super) fn id(&mut self, graph: &Graph, place: Place) -> VariableId {
        let known = self.by_local[place.local.0].iter();
        if let Some(id) = known.copied().find(|id| self.list[id.0].place == place) {
            return id;
        }
        let id = VariableId(self.list.len());
        let local = &graph.locals[place.local];
        let (ident, stored) = if place.fields.is_empty() {
            (local.ident.clone(), local.identity.name.clone())
        } else {
            let path = place.fields.join("_");
            let mut ident = hidden(&format!("part_{}_{}_{path}", id.0, local.ident));
            ident.set_span(ident.span().located_at(local.ident.span()));
            let path: Vec<_> = place.fields.iter().map(|field| without_prefix(field)).collect();
            (ident, format!("{}.{}", local.identity.name, path.join(".")))
        };
        self.by_local[place.local.0].push(id);
        let kind = local.kind_of(&place.fields);
        self.list.push(Variable {
            place,
            ident,
            stored,
            mutable: local.mutable,
            kind,
            is_saved: false,
            passed_in: Set::new(),
            comes_saved: false,
        });
        id
    }
}

/// Sorts the received variables by declaration. They are loaded in this order and dropped in reverse.
pub(super) fn sort_as_declared(
    graph: &Graph,
    segment: BlockId,
    variables: &[Variable],
    entry: &mut [VariableId],
) {
    if entry.len() < 2 {
        return;
    }
    // By local, counted from 1.
    let mut positions = vec![0; graph.locals.ids().len()];
    let mut count = 0;
    for scope in &graph.scopes[graph[segment].scope.0].path {
        for local in &graph.scopes[scope.0].locals {
            count += 1;
            if positions[local.0] == 0 {
                positions[local.0] = count;
            }
        }
    }
    entry.sort_by_cached_key(|id| {
        let place = &variables[id.0].place;
        (positions[place.local.0], std::cmp::Reverse(field_order(place)))
    });
}

/// Parts of a tuple are dropped in order. The order of a struct's fields is unknown.
fn field_order(place: &Place) -> Vec<(Option<usize>, &str)> {
    place.fields.iter().map(|field| (field.parse().ok(), &**field)).collect()
}
