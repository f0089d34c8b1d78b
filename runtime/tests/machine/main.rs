//! One source, two lowerings: every program in `programs` is compiled as a plain `async fn` by
//! rustc and as a workflow by piton. The workflow is encoded, dropped and decoded at every
//! suspension. Both must give the same result, start the same operations in the same order, and run
//! the code between them in the same order.

mod harness;
mod mock;
// They are odd on purpose.
#[allow(clippy::all, for_loops_over_fallibles, unused_braces)]
mod programs;
mod standalone;
