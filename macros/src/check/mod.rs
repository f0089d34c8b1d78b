//! Source-level rules: what a workflow's body must not contain.
//!
//! Input: the function as the user wrote it. Output: diagnostics; nothing is changed. The rules see names and
//! syntax, not types: a method that reads the clock passes here, and is found by `Standalone::advance_twice` at run
//! time. `docs/limits.md` has a section on each rule.
//!
//! Guarantee for later passes: no `.await` is left where there is no machine (in a closure, an `async` block that
//! is not part of one of piton's macros, a constant, an unknown macro).
//!
//! ```text
//! let started = Instant::now();       error: a workflow cannot use `Instant::now`, which reads the clock of the machine
//! ```

mod awaits;
mod checker;
mod effects;
mod expansions;
mod kinds;
mod locals;
mod macros;
mod maps;
mod methods;
mod names;
mod paths;
mod shared;
mod strict;
#[cfg(test)]
mod tests;
mod unused;

use proc_macro2::Ident;
use syn::visit::Visit;
use syn::{Block, ItemFn, Signature};

use self::checker::{Checker, Function};
pub(crate) use self::unused::use_imports_around;
use crate::diagnostics::Diagnostics;
use crate::frontend::args::{DeterministicArgs, WorkflowArgs};

/// Checks the body of a workflow against every rule. Returns the macros that the compiler replaces: the machine names
/// them, so that rustc does not report their imports as unused.
pub(crate) fn check_body(
    signature: &Signature,
    block: &Block,
    args: &WorkflowArgs,
    diagnostics: &Diagnostics,
) -> Vec<Ident> {
    let function = Function {
        what: "a workflow",
        without_context: "take `cx: &Context` as the first parameter to use it",
        signature,
    };
    let mut checker = Checker::new(function, &args.levels, diagnostics);
    checker.is_strict = args.strict;
    checker.is_compiled = true;
    checker.visit_block(block);
    checker.replaced
}

/// Checks the body of a `#[deterministic]` function.
pub(crate) fn check_deterministic(
    function: &ItemFn,
    args: &DeterministicArgs,
    diagnostics: &Diagnostics,
) {
    let signature = &function.sig;
    let checked = Function {
        what: "a `#[deterministic]` function",
        without_context: "do this in the workflow, and pass the value as an argument",
        signature,
    };
    Checker::new(checked, &args.levels, diagnostics).visit_block(&function.block);
}
