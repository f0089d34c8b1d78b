//! The store for several machines: one Postgres database, any number of processes.
//!
//! Each transition is one statement if possible, at the isolation level read committed. A transition locks the rows
//! that its guards depend on, in the order of the [contract](super): the worker's row, then runs in ascending
//! order. The worker's row is locked `FOR KEY SHARE`, like a row that a foreign key refers to. Commits then exclude
//! neither each other nor renewals of the lease, which change no key; with a stronger lock, overlapping commits
//! could delay a renewal forever. Fencing locks the row `FOR UPDATE` and excludes them all. A worker's statements
//! check its epoch and its lease, and that the rows name the worker and its epoch. Fencing changes all of these at
//! once, so each check alone would suffice. Lists are passed as arrays; the sessions' settings make the planner
//! look up one element after the other, in their order.
//!
//! Other conditions are redundant as well, so no test can detect that one of them is missing. A query that checks
//! whether there is work has the same conditions as the statement that does it: for due runs and activities, for
//! expired leases, for candidates of a claim before they are locked. A start looks for conflicting runs although
//! the unique indexes would refuse them, because a refusal fails the whole statement. Statements have an `ORDER BY`
//! even if the index has that order, because the planner may choose another index. The end of an attempt is also
//! guarded by the run's or the worker's row: no other transaction ends or begins the attempt while these are
//! locked.
//!
//! Invariant: a statement that relies on an earlier lock is a separate statement, because its snapshot must be
//! taken after the lock. Notifications are hints, so a separate task sends them after the commit. This module must
//! not know the content of a snapshot or an arrival.

mod activities;
mod attendance;
mod audit;
mod blockers;
mod definitions;
mod details;
mod effects;
mod failed_calls;
mod fragments;
mod history;
mod kin;
mod lanes;
mod lent;
mod lifecycle;
mod lists;
mod liveness;
mod messages;
mod namespace;
mod news;
mod open;
mod partitions;
mod probe;
mod promises;
mod queues;
mod retention;
mod runs;
mod schedules;
mod server;
mod session;
mod transaction;
mod visibility;
mod workers;

use std::borrow::Cow;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use tokio::sync::Semaphore;
use tokio::time::timeout;

use self::blockers::Blockers;
use self::fragments::{definition, lock_worker, named_after, named_by, now, workflow_id};
use self::lanes::Lanes;
use self::liveness::Liveness;
use self::messages::Reads;
pub(super) use self::namespace::namespaces;
use self::news::News;
pub(super) use self::open::open;
use self::probe::{Probe, silence};
use self::server::Server;
use super::failure::Verdict;
use super::{Clock, Hub, Store};
use crate::error::StoreError;
use crate::model::Timestamp;

/// A store in a Postgres database.
#[derive(Debug)]
pub(super) struct PostgresStore {
    hub: Arc<Hub>,
    clock: Clock,
    /// Connections of owners, for claims and commits.
    lanes: Lanes,
    /// How many of them commits may use at the same time; the others are left for claims.
    commit_lanes: usize,
    /// A connection for renewals of leases only, which must not wait for a commit.
    leases: Lanes,
    /// Connections for starts, arrivals, queries of results, and notifications.
    calls: Lanes,
    /// Connections for all other calls.
    pool: Lanes,
    /// The server to which they all connect.
    server: Arc<Server>,
    probe: Probe,
    /// One permit for each connection that an activity may borrow.
    lendable: Arc<Semaphore>,
    /// How long the server may take to respond.
    answer_timeout: Duration,
    news: News,
    reads: Reads,
    liveness: Liveness,
    blockers: Blockers,
}

/// The fraction of its time limit after which a slow call is examined: 5 s by default, longer than any wait for
/// piton's own locks.
const SLOW_PART: u32 = 6;

/// The size up to which sending and writing takes no noticeable time.
const SHORT: usize = 1 << 20;

/// The database's time; see [`PostgresStore::given_time`].
async fn time(
    connection: &mut sqlx::PgConnection,
    given_time: Option<i64>,
) -> Result<Timestamp, sqlx::Error> {
    const NOW: &str = concat!("SELECT now FROM ", now!(), " AS clock");
    sqlx::query_scalar(NOW).bind(given_time).fetch_one(connection).await.map(Timestamp)
}

impl PostgresStore {
    /// The time for statements, if it is not the database's.
    fn given_time(&self) -> Option<i64> {
        self.clock.manual_now().map(Timestamp::as_micros)
    }

    /// Gives up on a server that disappeared without closing the connection, for example because its host lost
    /// power or its network. The operating system would keep the connection open for much longer.
    async fn answered<T>(
        &self,
        operation: &'static str,
        call: impl Future<Output = Result<T, StoreError>>,
    ) -> Result<T, StoreError> {
        let waited = async {
            let mut call = pin!(call);
            let soon = self.answer_timeout / SLOW_PART;
            if let Ok(answer) = timeout(soon, &mut call).await {
                return answer;
            }
            self.blockers.name(operation);
            let left = self.answer_timeout - soon;
            timeout(left, call).await.map_err(|_| failed(operation)(silence()))?
        };
        waited.await.inspect_err(|error| judge_server(&self.server, error))
    }

    /// The same for writes of programs of this size. While large values are sent, both ends may be slow, which
    /// proves nothing.
    async fn written<T>(
        &self,
        operation: &'static str,
        bytes: usize,
        call: impl Future<Output = Result<T, StoreError>>,
    ) -> Result<T, StoreError> {
        match bytes {
            0..=SHORT => self.asked(operation, call).await,
            _ => self.answered(operation, call).await,
        }
    }

    /// The same for queries of programs, which should fail soon if there is no server.
    async fn asked<T>(
        &self,
        operation: &'static str,
        call: impl Future<Output = Result<T, StoreError>>,
    ) -> Result<T, StoreError> {
        let mut call = pin!(self.answered(operation, call));
        loop {
            let soon = self.probe.patience().min(self.answer_timeout / 2);
            if let Ok(answer) = timeout(soon, &mut call).await {
                return answer;
            }
            tokio::select! {
                answer = &mut call => return answer,
                gone = self.probe.gone() => {
                    if let Some(error) = gone {
                        return Err(failed(operation)(error));
                    }
                }
            }
        }
    }
}

/// Checks whether an error means that another server has replaced this one.
fn judge_server(server: &Server, error: &StoreError) {
    if let StoreError::Database { source, .. } = error
        && let Some(error) = source.downcast_ref()
    {
        server.judge(error);
    }
}

/// Retrying may help if the connection or the server is gone or not ready, a resource is exhausted, or another
/// transaction conflicts.
fn judge(state: &str) -> Verdict {
    // The second is the error of [`takes_writes`](server::takes_writes).
    const READ_ONLY: [&str; 2] = ["25006", "25001"];
    const LOCK_NOT_AVAILABLE: &str = "55P03";
    const QUERY_CANCELED: &str = "57014";
    const SHUTDOWNS: [&str; 4] = ["57P01", "57P02", "57P03", "57P05"];
    // The process was stopped in the middle, and the server has ended its session.
    const TRANSACTION_TIMEOUTS: [&str; 2] = ["25P03", "25P04"];
    match (state, state.get(..2).unwrap_or_default()) {
        (LOCK_NOT_AVAILABLE | QUERY_CANCELED, _) => Verdict::Retryable,
        _ if READ_ONLY.contains(&state) => Verdict::Retryable,
        (_, "08" | "40" | "53" | "58") => Verdict::Retryable,
        _ if SHUTDOWNS.contains(&state) || TRANSACTION_TIMEOUTS.contains(&state) => {
            Verdict::Retryable
        }
        // Data errors, and limits of the server.
        (_, "22" | "54") => Verdict::Unstorable,
        _ => Verdict::Final,
    }
}

/// Whether this cannot be a stored name: the server stores no such text, and refuses to compare with it.
fn names_nothing(text: &str) -> bool {
    text.contains('\0')
}

/// A text for people without the character NUL, which Postgres cannot store.
fn kept(text: &str) -> Cow<'_, str> {
    if text.contains('\0') { text.replace('\0', "\u{FFFD}").into() } else { text.into() }
}

fn failed(operation: &'static str) -> impl Fn(sqlx::Error) -> StoreError + Copy {
    super::failure::failed(operation, judge)
}

#[async_trait]
impl Store for PostgresStore {
    fn hub(&self) -> &Arc<Hub> {
        &self.hub
    }

    async fn now(&self) -> Result<Timestamp, StoreError> {
        let now = async {
            let failed = failed("now");
            let mut lane = self.pool.lane().await.map_err(failed)?;
            let now = time(lane.get(), self.given_time()).await.map_err(failed)?;
            lane.done();
            Ok(now)
        };
        self.asked("now", now).await
    }

    fn has_virtual_clock(&self) -> bool {
        self.clock.manual_now().is_some()
    }

    async fn close(&self) {
        self.news.close();
        self.reads.close();
        self.liveness.close();
        self.lanes.close();
        self.leases.close();
        self.calls.close();
        self.pool.close();
    }
}
