//! The function as the user wrote it: its attribute, its signature, and rewrites of its syntax.
//!
//! Input: the tokens of the attribute and of the item. Output: a [`WorkflowFn`](crate::frontend::parse::WorkflowFn), whose
//! body is the user's, without what only the macro understands.
//!
//! ```text
//! in   #[workflow(name = "order")] async fn fulfill(cx: &Context, #[redact] card: Card) -> u32 { … }
//! out  WorkflowFn { name: "order", params: [card], redacted: [card], output: u32, body: { … } }
//! ```

pub(crate) mod args;
pub(crate) mod conditions;
pub(crate) mod expose;
pub(crate) mod formerly;
pub(crate) mod fragments;
pub(crate) mod generics;
pub(crate) mod id_pattern;
pub(crate) mod let_attribute;
pub(crate) mod method;
pub(crate) mod origins;
pub(crate) mod parse;
pub(crate) mod pattern;
pub(crate) mod raw;
pub(crate) mod redact;
pub(crate) mod shields;
pub(crate) mod substitute;
pub(crate) mod time_limits;
