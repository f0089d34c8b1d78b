//! The terminators that suspend, by the points of their states.

use syn::Expr;

use crate::ir::{Branch, Choice, Graph, PointId, RegionId, Terminator};

/// The terminator that suspends at a point.
pub(super) fn suspension(graph: &Graph, wanted: PointId) -> Option<&Terminator> {
    graph.blocks.iter().map(|block| &block.end).find(|end| match end {
        Terminator::Await { point, .. }
        | Terminator::Select { point, .. }
        | Terminator::Join { point, .. } => *point == wanted,
        _ => false,
    })
}

/// The branches that a `join!` or `select!` awaits.
pub(super) struct Wait<'a> {
    /// Each with its condition.
    pub(super) branches: Vec<(Option<&'a Expr>, &'a Branch<RegionId>)>,
    /// Whether the first error ends the `join!`; `None` for `select!`.
    pub(super) fail_fast: Option<bool>,
    /// The branches of a `select!`, and whether it has an `else`.
    pub(super) choices: (&'a [Choice], bool),
}

pub(super) fn wait_at(graph: &Graph, point: PointId) -> Option<Wait<'_>> {
    match suspension(graph, point)? {
        Terminator::Select { arms, has_else, .. } => {
            let branches = arms.iter().map(|arm| (arm.cond.as_ref(), &arm.future));
            let choices = (&arms[..], *has_else);
            Some(Wait { branches: branches.collect(), fail_fast: None, choices })
        }
        Terminator::Join { branches, fail_fast, .. } => {
            let branches = branches.iter().map(|branch| (None, branch));
            let (fail_fast, choices) = (Some(*fail_fast), (&[][..], false));
            Some(Wait { branches: branches.collect(), fail_fast, choices })
        }
        _ => None,
    }
}
