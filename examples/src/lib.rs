//! Small real programs on piton. Each module is one program; its `main` is in `src/bin`.

pub mod approval;
pub mod billing;
pub mod cart;
pub mod collection;
pub mod fan_out;
pub mod game;
pub mod orders;
pub mod trip;
