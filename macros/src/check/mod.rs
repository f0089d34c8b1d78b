//! Source-level rules: what a workflow's body must not contain.
//!
//! Input: the function as the user wrote it. Output: diagnostics; nothing is changed. The rules see
//! names and syntax, not types; what a name cannot show is found by the test kit at run time.

mod rules;

use syn::{Block, Signature};

pub(crate) use self::rules::{Level, Levels, Rule};
use crate::args::WorkflowArgs;
use crate::diagnostics::Diagnostics;

/// Checks the body of a workflow against every rule.
pub(crate) fn check_body(
    signature: &Signature,
    block: &Block,
    args: &WorkflowArgs,
    diagnostics: &Diagnostics,
) {
    let _ = (signature, block, args, diagnostics);
}
