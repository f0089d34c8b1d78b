//! Commits of one row, one after the other on one connection, as many at a time as are asked for.

use std::time::{Duration, Instant};

use anyhow::{Result, ensure};

use super::{ROWS, Row, Writer, noise, postgres, scattered, sqlite};
use crate::database::{Database, Databases, StoreKind};

/// A database of its own, and a connection to it.
pub(crate) struct SingleCommits {
    writer: AnyWriter,
    rows: Vec<Row>,
    next: usize,
    noise: Vec<u8>,
    state_bytes: usize,
    /// Goes last.
    _database: Database,
}

enum AnyWriter {
    Sqlite(sqlite::SqliteWriter),
    Postgres(postgres::PostgresWriter),
}

impl SingleCommits {
    /// Prepares to write snapshots of `state_bytes`.
    pub(crate) async fn open(
        databases: &mut Databases,
        kind: StoreKind,
        state_bytes: usize,
    ) -> Result<Self> {
        let database = databases.create(kind).await?;
        let url = &database.url;
        let (keys, writer) = match kind {
            StoreKind::Sqlite => {
                let keys = sqlite::fill(url, ROWS, state_bytes).await?;
                (keys, AnyWriter::Sqlite(sqlite::connect(url).await?))
            }
            StoreKind::Postgres => {
                let keys = postgres::fill(url, ROWS, state_bytes).await?;
                (keys, AnyWriter::Postgres(postgres::connect(url).await?))
            }
        };
        let (rows, noise) = (scattered(keys), noise(state_bytes + ROWS));
        Ok(Self { writer, rows, next: 0, noise, state_bytes, _database: database })
    }

    /// Makes `count` commits and returns how long each of them took.
    pub(crate) async fn take(&mut self, count: usize) -> Result<Vec<Duration>> {
        let mut times = Vec::with_capacity(count);
        for _ in 0..count {
            let state = &self.noise[self.next..self.next + self.state_bytes];
            let row = &mut self.rows[self.next];
            let begin = Instant::now();
            let written = match &mut self.writer {
                AnyWriter::Sqlite(writer) => writer.step(&[*row], state).await?,
                AnyWriter::Postgres(writer) => writer.step(&[*row], state).await?,
            };
            times.push(begin.elapsed());
            ensure!(written == 1, "the row did not meet its guard");
            row.step_no += 1;
            self.next = (self.next + 1) % self.rows.len();
        }
        Ok(times)
    }
}
