//! Values that are computed again after an await instead of being saved.
//!
//! Input: an expression that borrows from a local or from a constant. Output: whether evaluating it again gives the
//! same value, and the code that does so; otherwise the value to save, or an error.
//!
//! ```text
//! let line = order.lines.first()?;       after the await:   let line = order.lines.first().unwrap();
//! let Order { lines, .. } = &order;      after the await:   let lines = match &order { Order { lines, .. } => lines };
//! ```
//!
//! `locals` decides for each local, `lookups` knows the lookup methods, and `lookup_keys` saves their arguments.
//! Each of the other modules is about one form of source code.

pub(crate) mod branch_borrows;
pub(crate) mod branch_values;
pub(crate) mod entries;
pub(crate) mod extended_temporaries;
pub(crate) mod interference;
pub(crate) mod item_parts;
pub(crate) mod iterator_captures;
pub(crate) mod locals;
pub(crate) mod lookup_keys;
pub(crate) mod lookups;
pub(crate) mod loop_conflicts;
pub(crate) mod patterns;
pub(crate) mod two_phase_borrows;
