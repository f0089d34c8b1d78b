//! Constructs that contain awaits, written as simpler ones: `select!` and `join!`, loops, compound assignments.
//!
//! Input: an expression or a statement of the user. Output: statements of the tree, emitted through
//! [`Lower`](crate::lower::Lower).
//!
//! ```text
//! for line in &order.lines {           let mut position = 0;
//!     ship(line).await;          →     loop { let Some(line) = item_at(&order.lines, position) else { break };
//! }                                           ship(line).await; position += 1; }
//! ```

pub(crate) mod borrow_loops;
pub(crate) mod compound_assignments;
pub(crate) mod filter_loops;
pub(crate) mod let_else;
pub(crate) mod loops;
pub(crate) mod refutability;
pub(crate) mod select;
