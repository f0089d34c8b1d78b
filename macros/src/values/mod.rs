//! Properties of values that the source shows: whether a value is a text, a literal, or a borrow.
//!
//! Input: an expression, and the locals of the function. Output: a [`Shape`](crate::ir::Shape) or a yes or no. The
//! macro knows no types here, only how values are written.
//!
//! ```text
//! let names = ["ann", "bob"];        names: a list of literals
//! let first = line.trim();           first: may be a borrowed text
//! ```

pub(crate) mod borrowed_texts;
pub(crate) mod projections;
pub(crate) mod runtime_calls;
pub(crate) mod shapes;
pub(crate) mod static_borrows;
pub(crate) mod text_types;
pub(crate) mod texts;
