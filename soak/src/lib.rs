//! A soak test: a workflow is edited at random, repeatedly, while runs of it are parked.
//!
//! [`program`] creates versions, each an edit of the previous one, and writes them as Rust. [`deploy`] takes runs
//! through all of them with the engine, and [`model`] computes the expected result of each run. Every run must
//! complete with the result of its path, or be blocked as predicted by the check of its definition.

pub mod deploy;
pub mod model;
pub mod program;
