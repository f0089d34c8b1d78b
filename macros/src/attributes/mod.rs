//! The attributes of functions that are left as they are: `#[deterministic]`, `#[migrate]`, `#[query]`, `#[validator]`.
//!
//! Input: the function. Output: the same function, with a registration or a type of its name beside it.

pub(crate) mod deterministic;
pub(crate) mod migrate;
pub(crate) mod query;
