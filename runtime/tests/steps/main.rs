//! What single steps of a machine come to, without an engine.

mod golden;
mod messages;
