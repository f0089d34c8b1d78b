//! The attributes of functions that stay unchanged: `#[deterministic]`, `#[migrate]`, `#[query]`, `#[validator]`.
//!
//! Input: the function. Output: the same function, with a registration or a type with its name.

pub(crate) mod deterministic;
pub(crate) mod migrate;
pub(crate) mod query;
