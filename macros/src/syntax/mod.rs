//! Syntax: properties of tokens, expressions, patterns and methods that the passes share.
//!
//! Input: a piece of the user's code. Output: properties that its form alone shows, such as the bindings of a pattern,
//! whether an expression suspends, or how a method of the standard library uses its receiver. This module depends
//! neither on the locals of a function nor on a pass.
//!
//! ```text
//! patterns::bindings           (a, Some(ref b))            →  a, b
//! suspend::expr                f(g().await)                →  true
//! methods::returns_part          order.lines.first()         →  true
//! ```

pub(crate) mod binding_modes;
pub(crate) mod branches;
pub(crate) mod build;
pub(crate) mod calls;
pub(crate) mod conditions;
pub(crate) mod continued;
pub(crate) mod divergence;
pub(crate) mod exits;
pub(crate) mod fingerprint;
pub(crate) mod forms;
pub(crate) mod hygiene;
pub(crate) mod macros;
pub(crate) mod mentions;
pub(crate) mod methods;
pub(crate) mod names;
pub(crate) mod operators;
pub(crate) mod owned;
pub(crate) mod patterns;
pub(crate) mod results;
pub(crate) mod root;
pub(crate) mod select;
pub(crate) mod source;
pub(crate) mod suspend;
