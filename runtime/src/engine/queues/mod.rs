//! Activities on queues, from the worker that makes their attempts.
//!
//! The *claim loop* takes due activities from the queues that the worker serves, as many as each
//! has room for, and every attempt becomes a task of the session. It ends by a report, written
//! together with those of others: an outcome goes into the run's inbox, a failure makes the row due
//! again. Nothing else is written but heartbeats. The *review* finds what lost news and answers
//! would have told. A worker that shuts down *hands back* what it has been given and has not begun,
//! so that it does not count as an attempt. The *expiry*, which every worker looks after, ends attempts whose time
//! limits have run out by the database's clock.

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
