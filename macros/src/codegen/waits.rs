//! The awaited operations at a point with several branches.

use syn::Expr;

use crate::ir::{Branch, Choice, Graph, PointId, RegionId, Terminator};

/// What is awaited at a point.
pub(super) struct Wait<'a> {
    pub(super) branches: Vec<(Option<&'a Expr>, &'a Branch<RegionId>)>,
    /// That of `join!`; `None` for `select!`.
    pub(super) fail_fast: Option<bool>,
    /// The branches of a `select!`, and whether there is an `else`.
    pub(super) choices: (&'a [Choice], bool),
}

pub(super) fn wait_at(graph: &Graph, wanted: PointId) -> Option<Wait<'_>> {
    graph.blocks.iter().find_map(|block| match &block.end {
        Terminator::Select { point, arms, has_else, .. } if *point == wanted => {
            let branches = arms.iter().map(|arm| (arm.cond.as_ref(), &arm.future));
            let choices = (&arms[..], *has_else);
            Some(Wait { branches: branches.collect(), fail_fast: None, choices })
        }
        Terminator::Join { point, branches, fail_fast, .. } if *point == wanted => {
            let branches = branches.iter().map(|branch| (None, branch));
            let (fail_fast, choices) = (Some(*fail_fast), (&[][..], false));
            Some(Wait { branches: branches.collect(), fail_fast, choices })
        }
        _ => None,
    })
}
