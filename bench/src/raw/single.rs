//! Commits of one row, always the same, one after the other on one connection, as many at a time as are
//! asked for.

use std::time::{Duration, Instant};

use anyhow::{Result, ensure};

use super::{Row, Writer, noise, postgres, sqlite};
use crate::database::{Database, Databases, StoreKind};

/// How many states are written by turns.
const STATES: usize = 1_024;

/// A separate database, and a connection to it.
pub(crate) struct SingleCommits {
    writer: AnyWriter,
    row: Row,
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
                let keys = sqlite::fill(url, 1, state_bytes).await?;
                (keys, AnyWriter::Sqlite(sqlite::connect(url).await?))
            }
            StoreKind::Postgres => {
                let keys = postgres::fill(url, 1, state_bytes).await?;
                (keys, AnyWriter::Postgres(postgres::connect(url).await?))
            }
        };
        let row = Row { run_id: keys[0], step_no: 0 };
        let noise = noise(state_bytes + STATES);
        Ok(Self { writer, row, noise, state_bytes, _database: database })
    }

    /// Makes `count` commits and returns how long each of them took.
    pub(crate) async fn take(&mut self, count: usize) -> Result<Vec<Duration>> {
        let mut times = Vec::with_capacity(count);
        for _ in 0..count {
            let offset = self.row.step_no as usize % STATES;
            let state = &self.noise[offset..offset + self.state_bytes];
            let begin = Instant::now();
            let written = match &mut self.writer {
                AnyWriter::Sqlite(writer) => writer.step(&[self.row], state).await?,
                AnyWriter::Postgres(writer) => writer.step(&[self.row], state).await?,
            };
            times.push(begin.elapsed());
            ensure!(written == 1, "the row did not meet its guard");
            self.row.step_no += 1;
        }
        Ok(times)
    }
}
