//! The books in which transactions make entries, on each store.

use std::sync::Arc;

use piton::sqlx::any::AnyPoolOptions;
use piton::sqlx::{self, AnyPool, PgConnection, SqliteConnection};
use piton::store::MemoryStore;
use piton::store::memory::Notebook;

/// What a transaction on the store in memory writes with.
pub mod on_memory {
    pub type Book = super::Notebook;
}

/// What a transaction on SQLite writes with.
pub mod on_sqlite {
    pub type Book = super::SqliteConnection;
}

/// What a transaction on Postgres writes with.
pub mod on_postgres {
    pub type Book = super::PgConnection;
}

const ENTER: &str = "INSERT INTO entries (text) VALUES ($1)";

/// Makes an entry, which is there once the transaction is committed.
pub trait MakeEntry {
    fn make_entry(&mut self, text: &str) -> impl Future<Output = ()> + Send;
}

impl MakeEntry for Notebook {
    async fn make_entry(&mut self, text: &str) {
        self.write(text);
    }
}

impl MakeEntry for SqliteConnection {
    async fn make_entry(&mut self, text: &str) {
        sqlx::query(ENTER).bind(text).execute(self).await.unwrap();
    }
}

impl MakeEntry for PgConnection {
    async fn make_entry(&mut self, text: &str) {
        sqlx::query(ENTER).bind(text).execute(self).await.unwrap();
    }
}

/// The books of one store.
pub enum Books {
    Memory(Arc<MemoryStore>),
    Database(AnyPool),
}

impl Books {
    /// New books in a database.
    pub async fn new(url: &str) -> Self {
        sqlx::any::install_default_drivers();
        let pool = AnyPoolOptions::new().max_connections(1).connect(url).await.unwrap();
        sqlx::query("CREATE TABLE entries (text TEXT NOT NULL)").execute(&pool).await.unwrap();
        Self::Database(pool)
    }

    /// The committed entries, in the order of their texts.
    pub async fn entries(&self) -> Vec<String> {
        let mut entries = match self {
            Self::Memory(store) => store.notes(),
            Self::Database(pool) => {
                sqlx::query_scalar("SELECT text FROM entries").fetch_all(pool).await.unwrap()
            }
        };
        entries.sort_unstable();
        entries
    }
}
