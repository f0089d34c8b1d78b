//! The locks of each transition, and their order.
//!
//! A test blocks a transition by a row lock or a trigger, waits until the server reports the table at which the
//! transition waits, and then checks the locks that it holds.

pub(crate) mod edits;
pub(crate) mod fencing;
pub(crate) mod order;
pub(crate) mod recheck;
pub(crate) mod relay;
mod scene;
