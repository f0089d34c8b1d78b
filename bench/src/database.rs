//! Empty databases to measure on.

use std::path::{Path, PathBuf};

use anyhow::Result;
use piton_postgres_cluster::Cluster;
use serde::Serialize;
use sqlx::{Connection as _, PgConnection};
use tempfile::TempDir;

/// What the speed of commits hangs on.
const SETTINGS: &str = "SELECT name, current_setting(name) FROM unnest(ARRAY['server_version', \
    'fsync', 'synchronous_commit', 'full_page_writes', 'wal_level', 'wal_sync_method', \
    'shared_buffers', 'max_wal_size', 'autovacuum']) AS name";

/// Which store is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum StoreKind {
    /// A file, `journal_mode=WAL`, `synchronous=FULL`.
    Sqlite,
    /// A private cluster.
    Postgres,
}

impl StoreKind {
    /// The name in tables.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Sqlite => "sqlite",
            Self::Postgres => "postgres",
        }
    }
}

/// Makes databases. The Postgres cluster is started when first needed and lives as long as this.
#[derive(Debug)]
pub(crate) struct Databases {
    parent: PathBuf,
    cluster: Option<Cluster>,
}

/// An empty database. An SQLite file goes when this does; a Postgres database goes with its
/// cluster.
#[derive(Debug)]
pub(crate) struct Database {
    /// What [`piton::client::Client::connect`] takes.
    pub(crate) url: String,
    /// Its kind.
    pub(crate) kind: StoreKind,
    /// Removes the file when dropped.
    _directory: Option<TempDir>,
}

impl Databases {
    /// Databases in temporary directories below `parent`, whose disk is the one that is measured.
    pub(crate) fn new(parent: &Path) -> Self {
        Self { parent: parent.to_owned(), cluster: None }
    }

    /// Makes an empty database.
    pub(crate) async fn create(&mut self, kind: StoreKind) -> Result<Database> {
        let (url, directory) = match kind {
            StoreKind::Sqlite => {
                let directory =
                    tempfile::Builder::new().prefix("piton-bench-").tempdir_in(&self.parent)?;
                let file = directory.path().join("bench.db");
                (format!("sqlite:{}", file.display()), Some(directory))
            }
            StoreKind::Postgres => {
                let url = self.cluster()?.new_database().await?;
                let mut connection = PgConnection::connect(&url).await?;
                // What the last workload left to be written is not to slow down the next one.
                sqlx::query("CHECKPOINT").execute(&mut connection).await?;
                connection.close().await?;
                (url, None)
            }
        };
        Ok(Database { url, kind, _directory: directory })
    }

    /// What the speed of this kind of database depends on.
    pub(crate) async fn settings(&mut self, kind: StoreKind) -> Result<Vec<(String, String)>> {
        match kind {
            StoreKind::Sqlite => {
                let settings = [("journal_mode", "wal"), ("synchronous", "full")];
                Ok(settings.map(|(name, value)| (name.to_owned(), value.to_owned())).into())
            }
            StoreKind::Postgres => {
                let mut connection =
                    PgConnection::connect(&self.cluster()?.url("postgres")).await?;
                let settings = sqlx::query_as(SETTINGS).fetch_all(&mut connection).await?;
                connection.close().await?;
                Ok(settings)
            }
        }
    }

    /// The first process of the database's server; `None` for a database within this process.
    pub(crate) fn server_pid(&self, kind: StoreKind) -> Option<u32> {
        match kind {
            StoreKind::Sqlite => None,
            StoreKind::Postgres => self.cluster.as_ref().map(Cluster::pid),
        }
    }

    fn cluster(&mut self) -> Result<&Cluster> {
        let started = match self.cluster.take() {
            Some(cluster) => cluster,
            None => Cluster::start_durable(&self.parent).map_err(anyhow::Error::msg)?,
        };
        Ok(self.cluster.insert(started))
    }
}
