//! What single steps of a machine come to, without an engine.

mod calls;
mod clock;
mod golden;
mod graph;
mod limits;
mod messages;
mod names;
