//! Facts that the source shows of a value: whether it is a text, a literal, or a borrow.
//!
//! Input: an expression, and the locals of the function. Output: a [`Shape`](crate::ir::Shape), or another fact.
//! Types are not known here, only how values are written.
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
