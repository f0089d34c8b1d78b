//! The background loops of a session.
//!
//! Each loop has a file of its own. `run` is the ticker: it calls `run_once`, waits, and logs what fails.
//! `run_once` is one round, and does not wait for the next. A loop holds nothing that the next session of
//! the worker needs, since it is dropped at any await when the session ends.
//!
//! # Adding a loop
//! Write `engine/loops/<name>.rs` with a `run(&Arc<Session>)`, and add it to [`run`] below. What every
//! worker may do at the same time as the others has to be safe in the store: no loop has a leader. If the
//! work is a few statements and may be as late as the poll interval, add a part to the [`sweep`] instead.

mod claim;
pub(crate) mod lease;
mod queues;
pub(crate) mod relay;
#[cfg(feature = "schedules")]
mod schedules;
mod sweep;
mod watch;

use std::sync::Arc;

use super::session::Session;

/// Runs all loops but that of the [lease], which goes on while the session drains. Returns when one of them
/// finds that the worker is fenced.
pub(crate) async fn run(session: &Arc<Session>) {
    tokio::select! {
        biased;
        () = claim::run(session) => {}
        () = queues::run(session) => {}
        () = relay::run(session) => {}
        () = run_schedules(session) => {}
        () = sweep::run(session) => {}
        () = watch::run(session) => {}
    }
}

#[cfg(feature = "schedules")]
async fn run_schedules(session: &Arc<Session>) {
    schedules::run(session).await;
}

/// Without the feature, the schedules of this worker's workflows are left to other workers.
#[cfg(not(feature = "schedules"))]
async fn run_schedules(_: &Arc<Session>) {
    std::future::pending().await
}
