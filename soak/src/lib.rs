//! A soak test: a workflow is edited at random, repeatedly, while runs of it are parked.
//!
//! [`program`] makes versions, each an edit of the one before, and writes them as Rust. [`deploy`] carries runs through
//! all of them with the engine, and [`model`] tells what each run must come to. Every run ends completed with the
//! result that its path gives, or blocked where the check of the definition has said so before.

pub mod deploy;
pub mod model;
pub mod program;
