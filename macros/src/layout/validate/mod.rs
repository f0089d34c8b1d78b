//! Checks the invariants of the layout on which code generation relies. Each rule is a function, and the tests have a
//! layout that violates only this rule.

use super::segments::Link;
use super::types::{Layout, Segment};
use super::uninitialized;
use super::variables::VariableId;
use crate::collections::sets::Set;
use crate::flow::liveness::Liveness;
use crate::ir::usage::Place;
use crate::ir::{BlockId, BlockKind, Graph, LocalId, ScopeId};

/// A layout and its inputs.
struct Machine<'a> {
    graph: &'a Graph,
    liveness: &'a Liveness,
    layout: &'a Layout,
}

/// The violated invariant, as an error.
type Checked = Result<(), String>;

/// Checks the invariants.
///
/// # Errors
/// The violated invariant, which is a defect of the compiler and not of the user's code.
pub(crate) fn validate(graph: &Graph, liveness: &Liveness, layout: &Layout) -> Checked {
    let machine = Machine { graph, liveness, layout };
    machine.every_segment_is_an_arm()?;
    for segment in &layout.segments {
        machine.locals_are_in_scope(segment)?;
        machine.wholes_are_not_split(segment)?;
        machine.rematerialized_locals_are_not_received(segment)?;
        machine.passed_locals_are_received_and_unused(segment)?;
    }
    machine.rematerialized_locals_are_not_saved()?;
    machine.names_are_unique()?;
    // Rules that need a search of the graph run in builds with debug assertions.
    if cfg!(debug_assertions) {
        machine.states_save_the_live_locals()?;
        machine.states_and_edges_are_connected()?;
        machine.received_locals_are_provided()?;
    }
    Ok(())
}

impl Machine<'_> {
    fn place(&self, id: VariableId) -> &Place {
        &self.layout.variable(id).place
    }

    fn name(&self, local: LocalId) -> String {
        self.graph.locals[local].ident.to_string()
    }

    fn every_segment_is_an_arm(&self) -> Checked {
        let arms: Vec<BlockId> = self.layout.segments.iter().map(|segment| segment.block).collect();
        let links = self.layout.links.iter().enumerate();
        let segments: Vec<BlockId> = links
            .filter(|(_, link)| **link == Link::Segment)
            .map(|(index, _)| BlockId(index))
            .collect();
        if let Some(block) = segments.iter().find(|block| !arms.contains(block)) {
            return Err(format!("block {} has no arm", block.0));
        }
        if arms != segments {
            return Err("an arm has no segment, or a segment has two arms".to_owned());
        }
        Ok(())
    }

    fn locals_are_in_scope(&self, segment: &Segment) -> Checked {
        let mut in_scope = vec![false; self.graph.locals.ids().len()];
        for scope in &self.graph.scopes[self.graph[segment.block].scope.0].path {
            for local in &self.graph.scopes[scope.0].locals {
                in_scope[local.0] = true;
            }
        }
        let given = segment.entry.iter().map(|id| self.place(*id).local);
        let mut locals = given
            .chain(segment.rematerialized.iter().copied())
            .chain(segment.declared.iter().copied());
        match locals.find(|local| !in_scope[local.0]) {
            Some(local) => {
                let name = self.name(local);
                Err(format!("`{name}` is used out of its scope in block {}", segment.block.0))
            }
            None => Ok(()),
        }
    }

    fn wholes_are_not_split(&self, segment: &Segment) -> Checked {
        let places: Vec<&Place> = segment.entry.iter().map(|id| self.place(*id)).collect();
        let split = places.iter().filter(|place| !place.fields.is_empty());
        match split.into_iter().find(|part| places.contains(&&Place::whole(part.local))) {
            Some(part) => {
                Err(format!("`{}` is there both as a whole and in parts", self.name(part.local)))
            }
            None => Ok(()),
        }
    }

    fn rematerialized_locals_are_not_received(&self, segment: &Segment) -> Checked {
        let mut given = segment.entry.iter().map(|id| self.place(*id).local);
        match given.find(|local| segment.rematerialized.contains(local)) {
            Some(local) => {
                let name = self.name(local);
                Err(format!("`{name}` is both given and made again in block {}", segment.block.0))
            }
            None => Ok(()),
        }
    }

    fn rematerialized_locals_are_not_saved(&self) -> Checked {
        let mut saved = self.layout.variables.iter().filter(|variable| variable.is_saved);
        match saved.find(|variable| self.graph.locals[variable.place.local].is_rematerialized()) {
            Some(variable) => Err(format!("`{}` is both saved and made again", variable.stored)),
            None => Ok(()),
        }
    }

    fn passed_locals_are_received_and_unused(&self, segment: &Segment) -> Checked {
        let wrong = |id: &&VariableId| {
            !segment.entry.contains(id) || segment.named.contains(&self.place(**id).local)
        };
        match segment.kept.iter().find(wrong) {
            Some(id) => {
                let name = &self.layout.variable(*id).stored;
                Err(format!("`{name}` cannot only pass through block {}", segment.block.0))
            }
            None => Ok(()),
        }
    }

    /// A state saves the places that are live where it is resumed, except uninitialized locals and parts that are
    /// assigned before they are read.
    fn states_save_the_live_locals(&self) -> Checked {
        let bound = self.graph.bound_at_entry();
        let vacant = uninitialized::analyze(self.graph);
        for state in &self.layout.states {
            let resumed = self.layout.segments.iter().find(|segment| {
                state.point.is_some_and(|p| self.graph[segment.block].kind == BlockKind::Resume(p))
            });
            let Some(segment) = resumed else {
                if state.point.is_none() && state.fields.is_empty() {
                    continue;
                }
                return Err(format!("nothing resumes the state `{}`", state.name));
            };
            let mut live = self.liveness.entry(self.graph, segment.block, bound[segment.block.0]);
            live.retain(|place| !vacant.at(segment.block, place.local));
            let places = |ids: &[VariableId]| -> Set<Place> {
                ids.iter().map(|id| self.place(*id).clone()).collect()
            };
            let saved = places(&state.fields);
            if state.fields != segment.entry {
                return Err(format!(
                    "the state `{}` differs from the locals that are loaded from it",
                    state.name
                ));
            }
            if &saved | &places(&segment.unfilled) != live {
                return Err(format!(
                    "the state `{}` differs from the locals that are live there",
                    state.name
                ));
            }
            if let Some(id) = state.fields.iter().find(|id| !self.layout.variable(**id).is_saved) {
                let name = &self.layout.variable(*id).stored;
                return Err(format!("`{name}` is in the state `{}` and not saved", state.name));
            }
        }
        Ok(())
    }

    fn names_are_unique(&self) -> Checked {
        let unique = |what: &str, names: Vec<String>| {
            let mut seen = Set::new();
            match names.into_iter().find(|name| name.is_empty() || !seen.insert(name.clone())) {
                Some(name) => Err(format!("there are two {what} called `{name}`")),
                None => Ok(()),
            }
        };
        let states = &self.layout.states;
        unique("states", states.iter().map(|state| state.name.clone()).collect())?;
        let variables = &self.layout.variables;
        unique("saved locals", variables.iter().map(|v| v.stored.clone()).collect())?;
        unique("variables", variables.iter().map(|v| v.ident.to_string()).collect())
    }

    /// Every state is reachable from the start, and edges lead from state to state.
    fn states_and_edges_are_connected(&self) -> Checked {
        let count = self.layout.states.len();
        let mut ends = self.layout.edges.iter().flat_map(|(from, to)| [Some(*from), *to]).flatten();
        if let Some(end) = ends.find(|end| *end >= count) {
            return Err(format!("an edge leads to the state {end}, which does not exist"));
        }
        let mut reached = Set::from([0]);
        let mut todo = vec![0];
        while let Some(from) = todo.pop() {
            let edges = self.layout.edges.iter().filter(|edge| edge.0 == from);
            todo.extend(edges.filter_map(|edge| edge.1).filter(|to| reached.insert(*to)));
        }
        match (0..count).find(|state| !reached.contains(state)) {
            Some(state) => Err(format!("nothing leads to `{}`", self.layout.states[state].name)),
            None => Ok(()),
        }
    }

    /// On every edge to a segment, the locals that it receives exist.
    fn received_locals_are_provided(&self) -> Checked {
        let mut known = vec![Set::new(); self.graph.blocks.len()];
        for segment in &self.layout.segments {
            let there = &mut known[segment.block.0];
            there.add(&segment.named);
            there.add(&segment.bound);
            there.extend(segment.entry.iter().map(|id| self.place(*id).local));
            there.extend(&segment.declared);
            // The resume block of a point has the locals that its regions capture by reference.
            there.add(&segment.used_by_regions);
        }
        for from in self.graph.block_ids() {
            let regions = self.graph[from].end.regions().into_iter();
            let begun = regions.map(|region| self.graph[region].entry);
            let exits = self.layout.exits[from.0].iter().copied().flatten();
            for to in exits.chain(begun) {
                let Some(segment) = self.layout.segment(to) else {
                    return Err(format!("block {} jumps to a block that is no segment", from.0));
                };
                let there = &known[self.layout.segment_of[from.0].0];
                let given = segment.entry.iter().map(|id| self.place(*id).local);
                // All blocks of a region have the locals outside it.
                let mut given = given.filter(|local| !self.is_outside(*local, from));
                if let Some(local) = given.find(|local| !there.contains(local)) {
                    let (name, from, to) = (self.name(local), from.0, to.0);
                    return Err(format!("`{name}` is not there on the way from {from} to {to}"));
                }
            }
        }
        Ok(())
    }

    /// Whether a local is declared outside of the region that the block is in.
    fn is_outside(&self, local: LocalId, block: BlockId) -> bool {
        let Some(region) = self.graph[block].region else { return false };
        let own = self.graph[region].scope;
        let mut scopes = (0..self.graph.scopes.len()).map(ScopeId);
        let scope = scopes.find(|scope| self.graph.scopes[scope.0].locals.contains(&local));
        scope.is_none_or(|scope| !self.graph.is_in_scope(scope, own))
    }
}

#[cfg(test)]
mod tests;
