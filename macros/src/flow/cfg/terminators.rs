//! The successors of a terminator.

use crate::ir::{BlockId, Branch, RegionId, Terminator};

impl Terminator {
    /// The blocks that control may continue in.
    pub(crate) fn successors(&self) -> Vec<BlockId> {
        match self {
            Self::Goto(block) => vec![*block],
            Self::If { then, otherwise, .. } => vec![*then, *otherwise],
            Self::Match { arms, .. } | Self::Chosen { arms, .. } => {
                arms.iter().map(|(_, block)| *block).collect()
            }
            Self::LetElse { otherwise, next, .. } => vec![*otherwise, *next],
            Self::Await { resume, .. }
            | Self::Select { resume, .. }
            | Self::Join { resume, .. } => vec![*resume],
            Self::Return(_) | Self::Unreachable => Vec::new(),
        }
    }

    /// The regions that the terminator begins.
    pub(crate) fn regions(&self) -> Vec<RegionId> {
        match self {
            Self::Select { arms, .. } => {
                arms.iter().filter_map(|arm| arm.future.region()).collect()
            }
            Self::Join { branches, .. } => branches.iter().filter_map(Branch::region).collect(),
            _ => Vec::new(),
        }
    }

    /// The blocks that the terminator names, including the merge block.
    pub(super) fn blocks_mut(&mut self) -> Vec<&mut BlockId> {
        match self {
            Self::Goto(block) => vec![block],
            Self::If { then, otherwise, merge, .. } => vec![then, otherwise, merge],
            Self::Match { arms, merge, .. } | Self::Chosen { arms, merge, .. } => {
                arms.iter_mut().map(|(_, block)| block).chain([merge]).collect()
            }
            Self::LetElse { otherwise, next, .. } => vec![otherwise, next],
            Self::Await { resume, .. }
            | Self::Select { resume, .. }
            | Self::Join { resume, .. } => vec![resume],
            Self::Return(_) | Self::Unreachable => Vec::new(),
        }
    }
}
