//! The background loops of a session.
//!
//! Each loop has its own file. `run` is the ticker: it calls `run_once`, waits, and logs errors. `run_once` is one
//! round. A loop is dropped at any await when the session ends, so it holds nothing that the worker's next session
//! needs.
//!
//! # Adding a loop
//! Write `engine/loops/<name>.rs` with a `run(&Arc<Session>)`, and add it to [`run`] below. No loop has a leader:
//! several workers run it at the same time, and the store has to make that safe. If the work is a few statements
//! and may be as late as the poll interval, add a part to the [`sweep`] instead.

mod claim;
pub(crate) mod lease;
mod queues;
pub(crate) mod relay;
pub(crate) mod retention;
#[cfg(feature = "schedules")]
mod scheduled_signals;
#[cfg(feature = "schedules")]
mod schedules;
mod sweep;
mod watch;
#[cfg(feature = "schedules")]
mod zone_data;

use std::sync::Arc;

use tokio::time::{Instant, sleep_until};

use super::clock::after;
use super::session::Session;
use crate::model::Timestamp;

/// Runs all loops except the [lease] loop, which continues while the session drains. Returns when one of them finds
/// that the worker is fenced.
pub(crate) async fn run(session: &Arc<Session>) {
    tokio::select! {
        biased;
        () = claim::run(session) => {}
        () = queues::run(session) => {}
        () = relay::run(session) => {}
        () = run_schedules(session) => {}
        () = retention::run(session) => {}
        () = sweep::run(session) => {}
        () = watch::run(session) => {}
    }
}

#[cfg(feature = "schedules")]
async fn run_schedules(session: &Arc<Session>) {
    tokio::select! {
        biased;
        () = schedules::run(session) => {}
        () = zone_data::run(session) => {}
    }
}

/// Without the feature `schedules`, other workers start the schedules of this worker's workflows.
#[cfg(not(feature = "schedules"))]
async fn run_schedules(_: &Arc<Session>) {
    std::future::pending().await
}

/// Waits until something may be due: by a notification, by the clock, or at the poll interval. Notifications are
/// the store's: parking a run causes one as any commit does.
async fn wait_until_due(
    session: &Session,
    news: impl Future<Output = ()>,
    next_due_at: Option<Timestamp>,
) {
    let poll_at = after(Instant::now(), session.host.settings.intervals.poll);
    let due_at =
        next_due_at.map_or(poll_at, |at| session.clock.instant_of_database(at).min(poll_at));
    tokio::select! {
        biased;
        () = news => {}
        () = sleep_until(due_at) => {}
    }
}
