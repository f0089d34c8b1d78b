//! Carrying out runs: claiming them, stepping them, committing, and starting what steps ask for.
//!
//! # How the parts fit
//! A worker opens a [`Session`](session::Session): one registration with a lease and an epoch. The session
//! runs the background [loops]. The *claim* loop takes due runs, and each run becomes a task with a
//! [driver](driver) that owns the run's machine while the run is busy. Drivers hand finished steps to a
//! [batcher](batch), which commits the steps of all runs together; the next batch gathers while the last is
//! being written. The *lease* loop renews the lease, on a [thread](keeper) that nothing else blocks. The
//! *sweep* finds what lost news, lost answers and dead workers have left behind.
//!
//! Any session that serves a [queue](queues) attempts the activities on it, each in a task of its own. Their
//! outcomes come to the run as arrivals.
//!
//! To add a background loop, see [loops].
//!
//! # Rules that hold
//! - What a step asks for starts after the step's commit. One step is one row update; steps that
//!   wait for nothing that is not here already are folded into one commit.
//! - A driver holds nothing that could not be made again from the run's row and inbox, except what
//!   an activity has returned: that is part of the next commit, or, if it does not make the run
//!   ready, put into the inbox at once.
//! - A commit whose answer was lost is tried again, and a run found one step further that is still
//!   ours was moved by that commit. A claim or start whose answer was lost is found by the sweep.
//! - A worker that has lost its lease stops its drivers wherever they are, drops what they had, and
//!   registers anew. Its late commits are refused by the store.
//! - Time is the database's. News is a hint; everything is found by polling as well.
//!
//! # What this must not know
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
