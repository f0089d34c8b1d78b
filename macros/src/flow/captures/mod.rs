//! Locals that a region captures from outside.
//!
//! Input: the graph, and liveness at the beginning of each block. Output: [`Captures`]. A local from outside either
//! becomes the region's own when the region begins, and is saved with the region's states, or it stays outside and
//! is used from there, like a borrow. Guarantees: an `async move` block owns the locals that it names. Other
//! regions own locals that no other code needs and that their outputs do not borrow, and parts that they move out
//! and that no other code needs. Locals that two branches use stay outside, so rustc checks whether both may use
//! them.

mod borrows;

use crate::collections::sets::Set;
use crate::ir::usage::{Place, bound_locals};
use crate::ir::{Graph, LocalId, RegionId, Terminator};

/// The result, by region.
#[derive(Debug, Default)]
pub(crate) struct Captures {
    /// The locals from outside that the region names.
    outer: Vec<Set<LocalId>>,
    /// Those of them that it names itself, and not only by way of borrows of them.
    direct: Vec<Set<LocalId>>,
    /// Those of them that it uses by way of borrows of them, which are made outside as well.
    lent: Vec<Set<LocalId>>,
    /// Those of them that it owns.
    owned: Vec<Set<LocalId>>,
}

/// Decides for every region. `live_in` is by block.
pub(crate) fn decide(graph: &Graph, live_in: &[Set<Place>]) -> Captures {
    let mut captures = outer(graph);
    let needs_after = needed_after(graph, live_in);
    // Regions stand before those in them.
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
    /// Whether the region uses the local where it is, outside.
    pub(crate) fn is_used_outside(&self, region: RegionId, local: LocalId) -> bool {
        self.outer[region.0].contains(&local) && !self.owned[region.0].contains(&local)
    }

    /// The locals that the region uses where they are, outside.
    pub(crate) fn used_outside(&self, region: RegionId) -> impl Iterator<Item = LocalId> + '_ {
        self.outer[region.0].difference(&self.owned[region.0]).copied()
    }

    /// The locals that become the region's own.
    pub(crate) fn owned(&self, region: RegionId) -> &Set<LocalId> {
        &self.owned[region.0]
    }

    /// Whether another branch of the same wait uses the local, too, or one of a wait around it. If it is
    /// a borrow, rustc has seen to it that they only look through it.
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
        // What is also used by way of a borrow is copied, or rustc would refuse it.
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
            // What it gives a value first is not there before.
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
    graph.usages_within(region).flat_map(|usage| &usage.moves).any(|place| place.local == local)
}

/// The locals from outside that each region uses.
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
                // Whoever names a local that is made again uses what it is made of.
                let used = graph.made_of(*named).iter().copied();
                let used: Vec<_> = used.filter(|local| !is_inside(local, id)).collect();
                // A borrow that is made in the region is a use by the region itself.
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

/// What is needed after the wait that each region is a branch of.
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
