//! Books that activities keep: entries, each written exactly once in a transaction, and letters, each sent at most
//! once.

use piton::prelude::*;
use piton::sqlx::{self, PgConnection, SqliteConnection};
use serde::{Deserialize, Serialize};

use crate::ledger::{Event, Ledger};

/// The number of concurrent runs.
pub const RUNS: u64 = 8;

/// The number of entries per run. After each entry the run sends a letter.
pub const ENTRIES: u64 = 6;

/// The table of entries. It has no constraint against duplicates.
pub const TABLE: &str =
    "CREATE TABLE IF NOT EXISTS entries (run BIGINT NOT NULL, entry BIGINT NOT NULL)";

const INSERT: &str = "INSERT INTO entries (run, entry) VALUES ($1, $2)";

const COUNT: &str = "SELECT count(*) FROM entries WHERE run = $1";

/// The result of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Kept {
    /// The number of entries of the run after each entry.
    pub counts: Vec<i64>,
    /// The number of letters that were certainly sent.
    pub sent: u64,
    /// The number of letters with an unknown outcome.
    pub unknown: u64,
}

/// Makes an entry. Every third fails at first, after it has been written.
#[activity(transaction, retry(initial = "1ms", max_interval = "5ms"))]
pub async fn enter_in_sqlite(
    cx: &ActivityContext,
    db: &mut SqliteConnection,
    run: i64,
    entry: i64,
) -> piton::Result<i64> {
    sqlx::query(INSERT).bind(run).bind(entry).execute(&mut *db).await?;
    stumble(cx, entry)?;
    Ok(sqlx::query_scalar(COUNT).bind(run).fetch_one(db).await?)
}

/// The same on Postgres.
#[activity(transaction, retry(initial = "1ms", max_interval = "5ms"))]
pub async fn enter_in_postgres(
    cx: &ActivityContext,
    db: &mut PgConnection,
    run: i64,
    entry: i64,
) -> piton::Result<i64> {
    sqlx::query(INSERT).bind(run).bind(entry).execute(&mut *db).await?;
    stumble(cx, entry)?;
    Ok(sqlx::query_scalar(COUNT).bind(run).fetch_one(db).await?)
}

fn stumble(cx: &ActivityContext, entry: i64) -> piton::Result<()> {
    ensure!(entry % 3 != 0 || cx.info().attempt > 1, "every third fails at first");
    Ok(())
}

/// Sends a letter.
#[activity(at_most_once)]
pub async fn send(cx: &ActivityContext) -> piton::Result<()> {
    let ledger = cx.dependency::<Ledger>();
    let key = cx.idempotency_key();
    ledger.note(Event::Began, &key, cx.info().attempt)?;
    ledger.note(Event::Returned, &key, cx.info().attempt)?;
    Ok(())
}

/// Makes one entry, which does not fail. Returns the number of entries.
#[workflow]
pub async fn single_entry(run: i64) -> piton::Result<i64> {
    Ok(enter_in_postgres(run, 1).await?)
}

/// Makes its entries and sends its letters.
#[workflow]
pub async fn keep(on_postgres: bool, run: i64) -> piton::Result<Kept> {
    let mut kept = Kept { counts: Vec::new(), sent: 0, unknown: 0 };
    for entry in 0..ENTRIES {
        let entry = i64::try_from(entry)?;
        let count = if on_postgres {
            enter_in_postgres(run, entry).await?
        } else {
            enter_in_sqlite(run, entry).await?
        };
        kept.counts.push(count);
        match send().await {
            Ok(()) => kept.sent += 1,
            Err(ActivityError::OutcomeUnknown) => kept.unknown += 1,
            Err(error) => return Err(error.into()),
        }
    }
    Ok(kept)
}
