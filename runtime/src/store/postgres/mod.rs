//! The store for many machines: one Postgres database, any number of processes.
//!
//! Each transition is one statement where that can be, in read-committed isolation. What a
//! transition depends on it locks, in the order of the [contract](super): the worker's row, then runs,
//! ascending. The worker's row is locked as those do who rely on its key (`FOR KEY SHARE`): commits
//! exclude neither each other nor the renewal of the lease, which changes no key, and would otherwise
//! wait for ever where one commit begins before the last has ended; fencing locks it `FOR UPDATE` and
//! excludes them all. A worker's statements ask for its epoch and its lease, and rows for the worker and
//! its epoch: fencing ends all of them at once, so each would do alone. Lists travel as arrays; the
//! sessions' settings keep the planner from doing anything but looking up one element after the other,
//! in their order.
//!
//! Other conditions stand twice as well, and no test can miss one of them. A look for whether there is
//! anything to do asks what the statement that does it asks again: for runs and activities that are due,
//! for leases that have run out, for candidates of a claim before they are locked. A start looks for what
//! is in its way, though the unique indexes would refuse it, because a refusal costs the whole
//! statement. An order is asked for where an index would give it: that the planner reads the index is
//! its own affair. Of an attempt, its end is refused by the run's row or the worker's as well, under whose
//! locks nobody else ends or begins one.
//!
//! Invariant: a statement that relies on a lock taken before it is a statement of its own, because
//! its snapshot must be younger than the lock. Notifications are sent after the commit by a task of
//! their own, since they are hints. This module must not know what a snapshot or an arrival holds.

mod activities;
mod attendance;
mod audit;
mod blockers;
mod definitions;
mod details;
mod effects;
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
    /// Connections of owners for claims and commits.
    lanes: Lanes,
    /// How many of them commits may have at a time; the others are left to claims.
    commit_lanes: usize,
    /// One for renewals of leases alone, which must not wait for a commit to end.
    leases: Lanes,
    /// Connections for starts, arrivals, looks for results and news.
    calls: Lanes,
    /// Connections for everything else.
    pool: Lanes,
    /// Which server they all lead to.
    server: Arc<Server>,
    probe: Probe,
    /// One permit for each connection that may be lent to an activity.
    lendable: Arc<Semaphore>,
    /// How long the server may take to answer.
    answer_timeout: Duration,
    news: News,
    reads: Reads,
    liveness: Liveness,
    blockers: Blockers,
}

/// A call that has taken this part of the time that it may take is looked into: 5 s unless somebody says
/// otherwise, longer than what locks of piton's own are waited for.
const SLOW_PART: u32 = 6;

/// So many bytes are sent and written in no time.
const SHORT: usize = 1 << 20;

const NOW: &str = concat!("SELECT now FROM ", now!(), " AS clock");

impl PostgresStore {
    /// The time that statements are to go by, if it is not the database's.
    fn given_time(&self) -> Option<i64> {
        self.clock.manual_now().map(Timestamp::as_micros)
    }

    /// Gives up on a server that has gone without a word, as it does when its host loses its power
    /// or its network: the connection would be open for as long as the operating system hopes.
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

    /// The same for what programs write, of so many bytes. While much is sent, neither the server nor this
    /// process may be quick to do anything else, which says nothing.
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

    /// The same for what programs ask, who are to hear soon that there is no server.
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

/// Sees whether an error says that another server has taken the place of this one.
fn judge_server(server: &Server, error: &StoreError) {
    if let StoreError::Database { source, .. } = error
        && let Some(error) = source.downcast_ref()
    {
        server.judge(error);
    }
}

/// Trying again may help if the connection or the server has gone or is not ready, a resource has run
/// out, or another transaction got in the way.
fn judge(state: &str) -> Verdict {
    // The second is that of a read that asks whether writes are taken.
    const READ_ONLY: [&str; 2] = ["25006", "25001"];
    const LOCK_NOT_AVAILABLE: &str = "55P03";
    const QUERY_CANCELED: &str = "57014";
    const SHUTDOWNS: [&str; 4] = ["57P01", "57P02", "57P03", "57P05"];
    // The process stood still in the middle, and the server has not waited for it.
    const TRANSACTION_TIMEOUTS: [&str; 2] = ["25P03", "25P04"];
    match (state, state.get(..2).unwrap_or_default()) {
        (LOCK_NOT_AVAILABLE | QUERY_CANCELED, _) => Verdict::Retryable,
        _ if READ_ONLY.contains(&state) => Verdict::Retryable,
        (_, "08" | "40" | "53" | "58") => Verdict::Retryable,
        _ if SHUTDOWNS.contains(&state) || TRANSACTION_TIMEOUTS.contains(&state) => {
            Verdict::Retryable
        }
        // Of data, and of a limit of the server.
        (_, "22" | "54") => Verdict::Unstorable,
        _ => Verdict::Final,
    }
}

/// Whether nothing can be named so: the server keeps no such text, and refuses to look for it.
fn names_nothing(text: &str) -> bool {
    text.contains('\0')
}

/// A text for people as Postgres can keep it: without the character NUL.
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
            let now = sqlx::query_scalar(NOW).bind(self.given_time()).fetch_one(lane.get()).await;
            let now = now.map(Timestamp).map_err(failed)?;
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
