//! The attributes of functions that stay unchanged: `#[deterministic]`, `#[migrate]`, `#[query]`, `#[validator]`.
//!
//! Input: the function. Output: the same function, with a registration or a type with its name.
//!
//! ```text
//! in   #[deterministic] fn total(order: &Order) -> u64 { … }
//! out  fn total(order: &Order) -> u64 { … }  enum total {}  impl Checked for total {}
//! ```

pub(crate) mod deterministic;
pub(crate) mod migrate;
pub(crate) mod query;
