//! The disk usage of the job: the size of a SQLite file and the rows of its tables.

use std::path::{Path, PathBuf};

use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{AssertSqlSafe, ConnectOptions, Connection};

/// What a SQLite file holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Storage {
    /// The file.
    pub path: PathBuf,
    /// Its size, including its write-ahead log.
    pub bytes: u64,
    /// The rows of each table, by name.
    pub rows: Vec<(String, u64)>,
}

/// The endings of the files that SQLite keeps for one database.
const SUFFIXES: [&str; 3] = ["", "-wal", "-shm"];

impl Storage {
    /// Measures a file.
    ///
    /// # Errors
    /// It is not there or not a database.
    pub async fn measure(path: &Path) -> sqlx::Result<Self> {
        let mut file = SqliteConnectOptions::new().filename(path).read_only(true).connect().await?;
        let tables: Vec<String> = sqlx::query_scalar(
            "SELECT name FROM sqlite_master
             WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name",
        )
        .fetch_all(&mut file)
        .await?;
        let mut rows = Vec::with_capacity(tables.len());
        for table in tables {
            let quoted = table.replace('"', "\"\"");
            let count = AssertSqlSafe(format!("SELECT COUNT(*) FROM \"{quoted}\""));
            rows.push((table, sqlx::query_scalar(count).fetch_one(&mut file).await?));
        }
        file.close().await?;
        let sizes = SUFFIXES.iter().map(|suffix| std::fs::metadata(sibling(path, suffix)));
        let bytes = sizes.flatten().map(|metadata| metadata.len()).sum();
        Ok(Self { path: path.to_owned(), bytes, rows })
    }
}

/// Deletes a SQLite database with everything that belongs to it. One that is not there is fine.
///
/// # Errors
/// A file exists and cannot be deleted.
pub fn delete(path: &Path) -> std::io::Result<()> {
    for suffix in SUFFIXES {
        match std::fs::remove_file(sibling(path, suffix)) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    Ok(())
}

fn sibling(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::orders::catalog::Catalog;
    use crate::orders::gateway::{Faults, Ledger};

    #[tokio::test]
    async fn rows_are_counted_by_table_and_gone_after_deletion() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let path = directory.path().join("ledger.db");
        let catalog = Catalog::bundled();
        let ledger = Ledger::open(&path, &catalog, Faults::NONE).await.expect("a new ledger");
        ledger.close().await;
        let storage = Storage::measure(&path).await.expect("a database");
        let articles = catalog.iter().count() as u64;
        assert_eq!(
            storage.rows,
            [("calls".into(), 0), ("effects".into(), 0), ("stock".into(), articles)]
        );
        assert!(storage.bytes > 0);

        for _ in 0..2 {
            delete(&path).expect("deletable");
        }
        assert!(Storage::measure(&path).await.is_err());
    }
}
