//! The compiler of [piton](https://docs.rs/piton): use it through the `piton` crate, which
//! re-exports everything here.

mod activity;
mod args;
mod cfg;
mod check;
mod codegen;
mod derive;
mod deterministic;
mod diagnostics;
mod dump;
mod hygiene;
mod ir;
mod layout;
mod liveness;
mod macros;
mod normalize;
mod parse;
mod resolve;
mod suspend;
mod usage;
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

/// Makes an `async fn` callable from workflows.
#[proc_macro_attribute]
pub fn activity(arguments: TokenStream, item: TokenStream) -> TokenStream {
    activity::expand(arguments.into(), item.into(), Diagnostics::new()).into()
}

/// Makes values of a type sendable to a run.
#[proc_macro_derive(Signal, attributes(signal))]
pub fn signal(item: TokenStream) -> TokenStream {
    derive::expand(item.into(), Diagnostics::new()).into()
}

/// Checks a function by the rules of workflows.
#[proc_macro_attribute]
pub fn deterministic(arguments: TokenStream, item: TokenStream) -> TokenStream {
    deterministic::expand(arguments.into(), item.into(), Diagnostics::new()).into()
}
