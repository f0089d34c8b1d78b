//! Books that are kept by activities: entries that are written in a transaction, each exactly once,
//! and letters that are sent at most once.

use piton::prelude::*;
use piton::sqlx::{self, PgConnection, SqliteConnection};
use serde::{Deserialize, Serialize};

use crate::ledger::{Event, Ledger};

/// How many runs the program drives at once.
pub const RUNS: u64 = 8;

/// How many entries each run makes. After each it sends a letter.
pub const ENTRIES: u64 = 6;

/// The table of entries. Nothing in it keeps an entry from being made twice.
pub const TABLE: &str =
    "CREATE TABLE IF NOT EXISTS entries (run BIGINT NOT NULL, entry BIGINT NOT NULL)";

const INSERT: &str = "INSERT INTO entries (run, entry) VALUES ($1, $2)";

const COUNT: &str = "SELECT count(*) FROM entries WHERE run = $1";

/// What a run comes to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Kept {
    /// After each entry, how many entries of the run there were.
    pub counts: Vec<i64>,
    /// The letters that were sent for certain.
    pub sent: u64,
    /// The letters of which nobody knows.
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

/// Makes one entry, which does not fail. Gives how many there are then.
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
