//! What waits for what: the locks on which each transition relies, and their order.
//!
//! A test stands in the way of a transition, with a row's lock or a trigger, waits until the server says
//! at which table it waits, and then looks at what it holds.

pub(crate) mod edits;
pub(crate) mod fencing;
pub(crate) mod order;
pub(crate) mod recheck;
pub(crate) mod relay;
mod scene;
