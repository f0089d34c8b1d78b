//! The embedded store: one SQLite file, any number of processes on one machine.
//!
//! The file uses WAL with `synchronous=FULL`: a commit is on disk when the call returns. Each process writes through
//! one connection ([`writer`], [`desk`]) and reads through a few others. A transaction that writes takes the file's
//! write lock before its first read, so its reads stay valid until it commits. A statement that contains all of its
//! guards needs no transaction.
//!
//! Invariant: every write contains its guard, or follows a read in the same `BEGIN IMMEDIATE` transaction. This
//! module must not know the content of a snapshot or an arrival.

mod activities;
mod attendance;
mod audit;
mod clock;
mod definitions;
mod desk;
mod details;
mod effects;
mod failed_calls;
mod files;
mod history;
mod kin;
mod lifecycle;
mod lists;
mod liveness;
mod messages;
mod open;
mod partitions;
#[cfg(test)]
mod plans;
mod promises;
mod queues;
mod retention;
mod runs;
mod schedules;
mod script;
mod transaction;
mod visibility;
mod workers;
mod writer;

use std::sync::Arc;

use async_trait::async_trait;
use sqlx::sqlite::SqlitePool;

use self::clock::{LeaseClock, Moment};
use self::liveness::Liveness;
pub(super) use self::open::{open_file, open_memory};
use self::script::{Rows, Script};
use self::writer::{Turn, Writer};
use super::failure::Verdict;
use super::{Clock, Hub, Store};
use crate::error::StoreError;
use crate::model::Timestamp;

/// A store in an SQLite file or, for tests, in memory.
#[derive(Debug)]
pub(super) struct SqliteStore {
    hub: Arc<Hub>,
    clock: Clock,
    writer: Writer,
    /// `None` for a database in memory, which only its single connection can see.
    readers: Option<SqlitePool>,
    liveness: Liveness,
    /// `None` if leases use the wall clock.
    lease_clock: Option<LeaseClock>,
}

impl SqliteStore {
    /// The database's clock, see [`Clock::Database`].
    fn time(&self) -> Timestamp {
        self.clock.manual_now().unwrap_or_else(Timestamp::now)
    }

    /// The wall-clock time, and the time for leases.
    fn moment(&self) -> Moment {
        let time = self.time();
        let lease_clock = self.lease_clock.as_ref().filter(|_| self.clock.manual_now().is_none());
        Moment { time, lease_time: lease_clock.map_or(time, LeaseClock::now) }
    }

    async fn turn(&self) -> Turn {
        self.writer.turn().await
    }

    /// Runs a script that only reads.
    async fn read(&self, script: Script) -> Result<Rows, sqlx::Error> {
        match &self.readers {
            Some(pool) => {
                let rows = async { script.run(&mut *pool.acquire().await?).await };
                self.writer.read(rows.await)
            }
            None => self.turn().await.run(script).await,
        }
    }
}

/// Retrying may help if another process holds a lock, the disk is full or does not respond, or memory or file
/// handles are exhausted.
fn judge(code: &str) -> Verdict {
    const BUSY: i32 = 5;
    const LOCKED: i32 = 6;
    const NOMEM: i32 = 7;
    const INTERRUPT: i32 = 9;
    const IOERR: i32 = 10;
    const FULL: i32 = 13;
    const CANTOPEN: i32 = 14;
    const PROTOCOL: i32 = 15;
    const TOOBIG: i32 = 18;
    match primary_code(code) {
        Some(BUSY | LOCKED | NOMEM | INTERRUPT | IOERR | FULL | CANTOPEN | PROTOCOL) => {
            Verdict::Retryable
        }
        Some(TOOBIG) => Verdict::Unstorable,
        _ => Verdict::Final,
    }
}

/// The primary result code of an extended one.
fn primary_code(code: &str) -> Option<i32> {
    code.parse::<i32>().ok().map(|code| code & 0xff)
}

fn failed(operation: &'static str) -> impl Fn(sqlx::Error) -> StoreError + Copy {
    super::failure::failed(operation, judge)
}

#[async_trait]
impl Store for SqliteStore {
    fn hub(&self) -> &Arc<Hub> {
        &self.hub
    }

    async fn now(&self) -> Result<Timestamp, StoreError> {
        Ok(self.time())
    }

    fn has_virtual_clock(&self) -> bool {
        self.clock.manual_now().is_some()
    }

    async fn close(&self) {
        if let Some(readers) = &self.readers {
            readers.close().await;
        }
        self.writer.close().await;
        self.liveness.let_go_of_all();
    }
}
