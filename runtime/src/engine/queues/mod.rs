//! Queued activities, in the worker that attempts them.
//!
//! A [loop](super::loops) *claims* due activities from the queues that the worker serves, as many as each queue has
//! room for. Each attempt is a task of the session and ends with a *report*: an outcome goes into the run's inbox, a
//! failure makes the row due again. Reports of several attempts are written together. Besides reports, an attempt
//! writes heartbeats and nothing else.
//!
//! Two parts of the sweep are here. The *review* compares the attempts that the worker makes with the rows, in case
//! a notification or a response was lost. The *expiry* ends attempts of any worker whose time limits have expired
//! by the database's clock.
//!
//! A worker that shuts down *releases* attempts that it has claimed and not begun, so that they do not count.

mod attempt;
mod call;
mod claim;
mod expiry;
mod held;
mod reports;
mod served;

pub(crate) use call::QueuedCall;
pub(crate) use claim::{claim, hand_back, hand_back_until, review};
pub(crate) use expiry::expire;
pub(crate) use held::Held;
pub(crate) use reports::Reports;
pub(crate) use served::{Queues, Served};
