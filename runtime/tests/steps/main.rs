//! Single steps of a machine, without an engine.

#![allow(clippy::unwrap_used)]

mod calls;
mod clock;
mod golden;
mod graph;
mod limits;
mod lists;
mod maps;
mod messages;
mod names;
mod selects;
mod spawned;
