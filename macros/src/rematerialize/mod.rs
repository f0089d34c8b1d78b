//! Values that are computed again after an await instead of being saved.
//!
//! Input: an expression. Output: whether evaluating it again gives the same value, and the code that does so.
//!
//! ```text
//! let Order { lines, .. } = &order;        after the await:   let lines = match &order { Order { lines, .. } => lines };
//! ```

pub(crate) mod patterns;
