//! The compiler of [piton](https://docs.rs/piton): use it through the `piton` crate, which
//! re-exports everything here.

mod args;
mod check;
mod diagnostics;
mod workflow;

use proc_macro::TokenStream;

use crate::args::WorkflowArgs;
use crate::diagnostics::Diagnostics;

/// Compiles an `async fn` into a durable state machine.
#[proc_macro_attribute]
pub fn workflow(arguments: TokenStream, item: TokenStream) -> TokenStream {
    let diagnostics = Diagnostics::new();
    let arguments = WorkflowArgs::parse(arguments.into(), &diagnostics);
    workflow::expand(arguments, item.into(), diagnostics).into()
}
