//! The input of code generation.

use super::borrows::Borrows;
use crate::frontend::parse::WorkflowFn;
use crate::ir::Graph;
use crate::layout::Layout;
use crate::verify::lookups::MovedKey;

/// A workflow whose code is generated.
pub(super) struct Machine<'a> {
    pub(super) function: &'a WorkflowFn,
    pub(super) graph: &'a Graph,
    pub(super) layout: &'a Layout,
    pub(super) borrows: Borrows,
    pub(super) moved_keys: &'a [MovedKey],
    pub(super) explains: bool,
}
