//! How control comes to the blocks, and which of them are roots.

use std::collections::BTreeMap;

use crate::ir::{Block, BlockId, BlockKind, Graph, Terminator};
use crate::sets::Set;
use crate::usage::Jump;

/// How control comes to a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Link {
    /// It is an arm of its own.
    Root,
    /// It is a part of the end before it.
    Branch,
    /// It follows the structured end before it.
    After,
    /// It follows the one jump to it.
    Follow,
}

/// Decides how control comes to each block, and to which root it belongs.
pub(super) fn link(graph: &Graph) -> (Vec<Link>, Vec<BlockId>) {
    let count = graph.blocks.len();
    let mut sources: Vec<Vec<BlockId>> = vec![Vec::new(); count];
    let mut jumped_to = Set::new();
    let mut branch_of: BTreeMap<BlockId, BlockId> = BTreeMap::new();
    let mut next_of: BTreeMap<BlockId, BlockId> = BTreeMap::new();
    let mut merge_of: BTreeMap<BlockId, BlockId> = BTreeMap::new();
    for id in graph.block_ids() {
        let block = &graph[id];
        for usage in block.all_usages() {
            jumped_to.extend(usage.jumps.iter().filter_map(|jump| match jump {
                Jump::Break(target) => graph.targets[target.0].exit,
                Jump::Continue(target) => graph.targets[target.0].head,
                Jump::Return => None,
            }));
        }
        match &block.end {
            Terminator::Goto(to) => sources[to.0].push(id),
            Terminator::If { then, otherwise, merge, .. } => {
                branch_of.extend([(*then, id), (*otherwise, id)]);
                merge_of.insert(*merge, id);
            }
            Terminator::Match { arms, merge, .. } | Terminator::Chosen { arms, merge, .. } => {
                branch_of.extend(arms.iter().map(|(_, block)| (*block, id)));
                merge_of.insert(*merge, id);
            }
            Terminator::LetElse { otherwise, next, .. } => {
                branch_of.insert(*otherwise, id);
                next_of.insert(*next, id);
            }
            _ => {}
        }
    }
    let mut links = vec![Link::Root; count];
    let mut root_of: Vec<BlockId> = graph.block_ids().collect();
    // Whether the block is printed inside braces that its root does not close.
    let mut nested = vec![false; count];
    for id in graph.block_ids() {
        if graph[id].kind != BlockKind::Plain || jumped_to.contains(&id) {
            continue;
        }
        let (link, from, is_nested) = if let Some(owner) = branch_of.get(&id) {
            (Link::Branch, *owner, true)
        } else if let Some(owner) = next_of.get(&id) {
            (Link::After, *owner, nested[owner.0])
        } else if let Some(owner) = merge_of.get(&id)
            && sources[id.0].iter().all(|from| root_of[from.0] == root_of[owner.0])
        {
            (Link::After, *owner, nested[owner.0])
        } else if let [from] = sources[id.0].as_slice()
            && !nested[from.0]
        {
            (Link::Follow, *from, false)
        } else {
            continue;
        };
        links[id.0] = link;
        root_of[id.0] = root_of[from.0];
        nested[id.0] = is_nested;
    }
    (links, root_of)
}

/// The roots that a block goes to, also by way of a suspension; `None` is the end of the workflow.
pub(crate) type Exits = Vec<Option<BlockId>>;

/// The [`Exits`] of all blocks. The passes that follow ask for them again and again.
pub(super) fn exits(graph: &Graph, links: &[Link]) -> Vec<Exits> {
    graph.blocks.iter().map(|block| exits_of(graph, links, block)).collect()
}

fn exits_of(graph: &Graph, links: &[Link], block: &Block) -> Exits {
    let mut exits = Vec::new();
    for usage in block.all_usages() {
        for jump in &usage.jumps {
            match jump {
                Jump::Break(target) => exits.extend(graph.targets[target.0].exit.map(Some)),
                Jump::Continue(target) => exits.extend(graph.targets[target.0].head.map(Some)),
                Jump::Return => exits.push(None),
            }
        }
    }
    match &block.end {
        Terminator::Return(_) => exits.push(None),
        end => {
            for to in end.successors() {
                if links[to.0] == Link::Root {
                    exits.push(Some(to));
                }
            }
        }
    }
    exits
}

/// Whether a root is entered within a step.
pub(crate) fn is_entered_within(graph: &Graph, root: BlockId) -> bool {
    !matches!(graph[root].kind, BlockKind::Start | BlockKind::Region(_) | BlockKind::Resume(_))
}
