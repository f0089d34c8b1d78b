//! What single steps of a machine come to, without an engine.

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
