//! Executing runs: claims, steps, commits, and the operations that steps request.
//!
//! # How the parts fit
//! A worker opens a [`Session`](session::Session): one registration with a lease and an epoch. The session
//! runs the background [loops]. The *claim* loop takes due runs, and each run becomes a task with a
//! [driver](driver) that owns the run's machine while the run is busy. Drivers hand finished steps to a
//! [batcher](batch), which commits the steps of all runs together; the next batch gathers while the last is
//! being written. The *lease* loop renews the lease, on a [thread](keeper) that nothing else blocks. The *sweep*
//! finds work left behind by lost notifications, lost responses and dead workers.
//!
//! A session that serves [queues](queues) attempts their activities, each in its own task. Outcomes reach the run as
//! arrivals.
//!
//! To add a background loop, see [loops].
//!
//! # Rules that hold
//! - Operations of a step start after the step's commit. One step is one row update; steps whose operations are
//!   already complete are folded into one commit.
//! - A driver holds nothing that could not be rebuilt from the run's row and inbox, except results of activities. A
//!   result is part of the next commit or, if it does not make the run ready, put into the inbox at once.
//! - A commit whose response was lost is repeated. A run that is one step further and still ours was moved by that
//!   commit. The sweep finds claims and starts whose responses were lost.
//! - A worker that has lost its lease stops its drivers at any point, drops their state, and registers anew. The
//!   store refuses its late commits.
//! - Time is the database's. Notifications are hints; polling finds everything as well.
//!
//! # Must not know
//! SQL, and the types of a workflow.

pub(crate) mod backoff;
pub(crate) mod batch;
mod blocked;
pub(crate) mod clock;
mod deadlines;
pub(crate) mod driver;
mod events;
pub(crate) mod evolution;
pub(crate) mod fencing;
pub(crate) mod first_state;
mod follow;
pub(crate) mod held;
pub(crate) mod keeper;
mod link;
pub(crate) mod loops;
pub(crate) mod outage;
mod outgoing;
pub(crate) mod panics;
pub(crate) mod paused;
pub(crate) mod phase;
mod promises;
pub(crate) mod queues;
pub(crate) mod recorded;
pub(crate) mod registry;
pub(crate) mod retry;
pub(crate) mod session;
pub(crate) mod slots;
mod strays;
pub(crate) mod stuck;
pub(crate) mod suspects;
mod suspicion;
pub(crate) mod transitions;
