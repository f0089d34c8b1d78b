//! Captures: the outer locals that a region uses.
//!
//! Input: the graph, and the live places where each block begins. Output: [`Captures`]. A region captures an outer
//! local by value or by reference. By value, the region owns the local: it moves into the region when the region
//! begins, and is saved with the region's states. By reference, the local stays outside. Guarantees: an `async move`
//! block captures by value the locals that it names. Other regions capture by value the locals that no other code needs
//! and that their outputs do not borrow, and parts that they move and that no other code needs. Locals that two
//! branches use are captured by reference, so rustc checks whether both may use them.

mod borrows;

use crate::collections::sets::Set;
use crate::ir::usage::{Place, bound_locals};
use crate::ir::{Graph, LocalId, RegionId, Terminator};

/// The captures, by region.
#[derive(Debug, Default)]
pub(crate) struct Captures {
    /// The outer locals that the region names.
    outer: Vec<Set<LocalId>>,
    /// The outer locals that the region names directly, and not only through rematerialized borrows.
    direct: Vec<Set<LocalId>>,
    /// The outer locals that the region uses through borrows that are also rematerialized outside.
    lent: Vec<Set<LocalId>>,
    /// The outer locals that the region captures by value.
    owned: Vec<Set<LocalId>>,
}

/// Decides the captures of every region. `live_in` is by block.
pub(crate) fn decide(graph: &Graph, live_in: &[Set<Place>]) -> Captures {
    let mut captures = outer(graph);
    let needs_after = needed_after(graph, live_in);
    // An outer region precedes its inner regions.
    for id in graph.region_ids() {
        let owned = captures.outer[id.0].iter().copied();
        let owned = owned.filter(|local| {
            !graph.locals[*local].is_rematerialized()
                && captures.owns(graph, live_in, &needs_after[id.0], id, *local)
        });
        let owned = owned.collect();
        captures.owned.push(owned);
    }
    captures
}

impl Captures {
    /// Whether the region captures the local by reference.
    pub(crate) fn is_used_outside(&self, region: RegionId, local: LocalId) -> bool {
        self.outer[region.0].contains(&local) && !self.owned[region.0].contains(&local)
    }

    /// The locals that the region captures by reference.
    pub(crate) fn used_outside(&self, region: RegionId) -> impl Iterator<Item = LocalId> + '_ {
        self.outer[region.0].difference(&self.owned[region.0]).copied()
    }

    /// The locals that the region captures by value.
    pub(crate) fn owned(&self, region: RegionId) -> &Set<LocalId> {
        &self.owned[region.0]
    }

    /// Whether another branch of the same point, or of an enclosing one, uses the local. If the local is a borrow,
    /// rustc has checked that it is a shared one.
    pub(crate) fn is_shared(
        &self,
        graph: &Graph,
        region: Option<RegionId>,
        local: LocalId,
    ) -> bool {
        std::iter::successors(region, |region| graph[*region].parent).any(|id| {
            let mut others = graph.regions_of(graph[id].point).filter(|other| *other != id);
            self.is_used_outside(id, local) && others.any(|id| self.is_used_outside(id, local))
        })
    }

    fn owns(
        &self,
        graph: &Graph,
        live_in: &[Set<Place>],
        needed_after: &Set<Place>,
        id: RegionId,
        local: LocalId,
    ) -> bool {
        let region = &graph[id];
        // `move` copies a local that is also used through a borrow; rustc refuses other types.
        let is_lent = self.lent[id.0].contains(&local);
        if region.is_move && self.direct[id.0].contains(&local) && !is_lent {
            return true;
        }
        if region.parent.is_some_and(|parent| self.is_used_outside(parent, local)) {
            return false;
        }
        let siblings: Vec<RegionId> =
            graph.regions_of(region.point).filter(|other| *other != id).collect();
        let mut elsewhere: Vec<&Place> =
            needed_after.iter().filter(|place| place.local == local).collect();
        let is_shared = siblings.iter().any(|other| self.outer[other.0].contains(&local));
        let in_region = |id: RegionId| {
            let entry = live_in.get(graph[id].entry.0);
            entry.into_iter().flatten().filter(|place| place.local == local)
        };
        if elsewhere.is_empty() && !is_shared {
            // A local that the region initializes has no value before it.
            let is_there = in_region(id).next().is_some();
            return moves_out_of(graph, id, local)
                || !is_there
                || !borrows::lends(graph, id, local);
        }
        elsewhere.extend(siblings.iter().flat_map(|other| in_region(*other)));
        let mut places = in_region(id).peekable();
        places.peek().is_some()
            && moves_out_of(graph, id, local)
            && places.all(|place| elsewhere.iter().all(|other| !place.overlaps(other)))
    }
}

fn moves_out_of(graph: &Graph, region: RegionId, local: LocalId) -> bool {
    graph
        .usages_within(region)
        .flat_map(|usage| &usage.partial_moves)
        .any(|place| place.local == local)
}

/// The outer locals that each region uses.
fn outer(graph: &Graph) -> Captures {
    let regions = graph.region_ids();
    let within: Vec<_> = regions.map(|region| graph.locals_within(region)).collect();
    let is_inside = |local: &LocalId, region: RegionId| within[region.0].contains(local);
    let mut outer = vec![Set::new(); graph.regions.len()];
    let (mut direct, mut lent) = (outer.clone(), outer.clone());
    for block in &graph.blocks {
        let mut region = block.region;
        while let Some(id) = region {
            let usages = block.all_usages();
            for named in usages.flat_map(|usage| &usage.mentions) {
                // A use of a rematerialized local is a use of the locals from which it is rematerialized.
                let used = graph.sources_of(*named).iter().copied();
                let used: Vec<_> = used.filter(|local| !is_inside(local, id)).collect();
                // A borrow that is created in the region counts as a direct use.
                if !is_inside(named, id) {
                    lent[id.0].extend(used.iter().filter(|local| *local != named));
                }
                outer[id.0].extend(used);
                direct[id.0].extend(Some(*named).filter(|local| !is_inside(local, id)));
            }
            region = graph[id].parent;
        }
    }
    Captures { outer, direct, lent, owned: Vec::new() }
}

/// The locals that are live after the point of each region.
fn needed_after(graph: &Graph, live_in: &[Set<Place>]) -> Vec<Set<Place>> {
    let mut needed = vec![Set::new(); graph.regions.len()];
    for block in &graph.blocks {
        let (resume, bound) = match &block.end {
            Terminator::Join { pat, resume, .. } => (*resume, bound_locals(&graph.locals, pat)),
            Terminator::Select { resume, .. } => (*resume, Vec::new()),
            _ => continue,
        };
        for region in block.end.regions() {
            let live = live_in.get(resume.0).into_iter().flatten();
            let live = live.filter(|place| !bound.contains(&place.local));
            needed[region.0] = live.cloned().collect();
        }
    }
    needed
}
