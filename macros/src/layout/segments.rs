//! Which blocks are segments, that is, arms of their own. A block that is entered from one place in the code before it is
//! printed within that code instead.

use crate::ir::usage::Jump;
use crate::ir::{Block, BlockId, BlockKind, Graph, Terminator};

/// How control reaches a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Link {
    /// Through an arm of its own.
    Segment,
    /// As a branch of the terminator before it.
    Branch,
    /// After the structured terminator before it.
    After,
    /// By the only jump to it.
    Follow,
}

/// The incoming edges of a block.
#[derive(Clone, Default)]
struct Ways {
    is_jumped_to: bool,
    /// The blocks whose terminator is a jump to it.
    sources: Vec<BlockId>,
    /// The block of whose terminator it is a branch, the continuation, or the merge block.
    branch_of: Option<BlockId>,
    next_of: Option<BlockId>,
    merge_of: Option<BlockId>,
}

/// Decides how control reaches each block, and which segment contains it.
pub(super) fn link(graph: &Graph) -> (Vec<Link>, Vec<BlockId>) {
    let count = graph.blocks.len();
    let mut ways = vec![Ways::default(); count];
    for id in graph.block_ids() {
        let block = &graph[id];
        for usage in block.all_usages() {
            for jump in &usage.jumps {
                let to = match jump {
                    Jump::Break(target) => graph.targets[target.0].exit,
                    Jump::Continue(target) => graph.targets[target.0].head,
                    Jump::Return => None,
                };
                if let Some(to) = to {
                    ways[to.0].is_jumped_to = true;
                }
            }
        }
        match &block.end {
            Terminator::Goto(to) => ways[to.0].sources.push(id),
            Terminator::If { then, otherwise, .. } => {
                ways[then.0].branch_of = Some(id);
                ways[otherwise.0].branch_of = Some(id);
            }
            Terminator::Match { arms, .. } | Terminator::Chosen { arms, .. } => {
                for (_, block) in arms {
                    ways[block.0].branch_of = Some(id);
                }
            }
            Terminator::LetElse { otherwise, next, .. } => {
                ways[otherwise.0].branch_of = Some(id);
                ways[next.0].next_of = Some(id);
            }
            _ => {}
        }
        // If all branches diverge, there is no merge block.
        if let Terminator::If { merge, .. }
        | Terminator::Match { merge, .. }
        | Terminator::Chosen { merge, .. } = &block.end
            && let Some(ways) = ways.get_mut(merge.0)
        {
            ways.merge_of = Some(id);
        }
    }
    let mut links = vec![Link::Segment; count];
    let mut segment_of: Vec<BlockId> = graph.block_ids().collect();
    // Whether the block is printed within braces that its segment does not close.
    let mut nested = vec![false; count];
    for id in graph.block_ids() {
        let ways = &ways[id.0];
        if graph[id].kind != BlockKind::Plain || ways.is_jumped_to {
            continue;
        }
        let (link, from, is_nested) = if let Some(owner) = ways.branch_of {
            (Link::Branch, owner, true)
        } else if let Some(owner) = ways.next_of {
            (Link::After, owner, nested[owner.0])
        } else if let Some(owner) = ways.merge_of
            && ways.sources.iter().all(|from| segment_of[from.0] == segment_of[owner.0])
        {
            (Link::After, owner, nested[owner.0])
        } else if let [from] = ways.sources.as_slice()
            && !nested[from.0]
        {
            (Link::Follow, *from, false)
        } else {
            continue;
        };
        links[id.0] = link;
        segment_of[id.0] = segment_of[from.0];
        nested[id.0] = is_nested;
    }
    (links, segment_of)
}

/// The successor segments of a block, including those after a suspension; `None` is the end of the workflow.
pub(crate) type Exits = Vec<Option<BlockId>>;

/// The [`Exits`] of all blocks, computed once.
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
                if links[to.0] == Link::Segment {
                    exits.push(Some(to));
                }
            }
        }
    }
    exits
}

/// Whether a segment is entered only within a step, and not when a state is resumed.
pub(crate) fn is_entered_within(graph: &Graph, segment: BlockId) -> bool {
    !matches!(graph[segment].kind, BlockKind::Start | BlockKind::Region(_) | BlockKind::Resume(_))
}
