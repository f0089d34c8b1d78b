//! The books of a small shop: a table, activities that make entries, and workflows over them.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use piton::client::Client;
use piton::error::RunError;
use piton::prelude::{ActivityContext, activity};
use piton::sqlx::any::AnyPoolOptions;
use piton::sqlx::{self, AnyPool};
use piton::worker::Worker;
use tokio::sync::Semaphore;

/// Controls the entries. The word in an entry's text decides.
#[derive(Clone, Default)]
pub struct Desk(Arc<Inner>);

struct Inner {
    attempts: AtomicU32,
    gate: Semaphore,
}

impl Default for Inner {
    fn default() -> Self {
        Self { attempts: AtomicU32::new(0), gate: Semaphore::new(0) }
    }
}

impl Desk {
    pub fn attempts(&self) -> u32 {
        self.0.attempts.load(Ordering::SeqCst)
    }

    pub fn open_gate(&self) {
        self.0.gate.add_permits(1);
    }

    /// What happens after the entry has been written.
    pub async fn handle(&self, text: &str, attempt: u32) -> Result<(), String> {
        self.0.attempts.fetch_add(1, Ordering::SeqCst);
        match text {
            "fails twice" if attempt <= 2 => Err(format!("attempt {attempt} fails")),
            "fails" => Err("it always fails".to_owned()),
            "panics" => panic!("as asked"),
            "hangs once" if attempt == 1 => std::future::pending().await,
            "waits" => {
                self.0.gate.acquire().await.unwrap().forget();
                Ok(())
            }
            _ => Ok(()),
        }
    }
}

/// Waits for the gate, and writes nothing.
#[activity]
async fn stand_by(cx: &ActivityContext) {
    cx.dependency::<Desk>().0.gate.acquire().await.unwrap().forget();
}

/// The operations that the cases need from a kind of database.
pub struct Kind {
    pub entries: fn(&Client, Vec<String>) -> Ended<u32>,
    pub side_by_side: fn(&Client, u32) -> Ended<u32>,
    pub elsewhere: fn(&Client) -> Ended<u32>,
    pub either: fn(&Client, String) -> Ended<u32>,
}

pub type Ended<T> = std::pin::Pin<Box<dyn Future<Output = Result<T, RunError<String>>> + Send>>;

macro_rules! books_on {
    ($module:ident, $Connection:ident, $other:ident, $enter:literal, $entries:literal, $side:literal, $elsewhere:literal, $either:literal) => {
        pub mod $module {
            use piton::prelude::*;
            use piton::sqlx::{self, $Connection};

            use super::{Desk, Kind};

            pub const KIND: Kind = Kind {
                entries: |client, texts| {
                    let client = client.clone();
                    Box::pin(
                        async move { client.start(entries(texts)).await.unwrap().result().await },
                    )
                },
                side_by_side: |client, count| {
                    let client = client.clone();
                    Box::pin(async move {
                        client.start(side_by_side(count)).await.unwrap().result().await
                    })
                },
                either: |client, text| {
                    let client = client.clone();
                    Box::pin(
                        async move { client.start(either(text)).await.unwrap().result().await },
                    )
                },
                elsewhere: |client| {
                    let client = client.clone();
                    Box::pin(async move { client.start(elsewhere()).await.unwrap().result().await })
                },
            };

            #[activity(
                                                        transaction,
                                                        name = $enter,
                                                        start_to_close = "2s",
                                                        retry(initial = "1ms", max_attempts = 4)
                                                    )]
            pub async fn enter(
                cx: &ActivityContext,
                db: &mut $Connection,
                text: &str,
            ) -> Result<u32, String> {
                let insert = sqlx::query("INSERT INTO entries (run, text) VALUES ($1, $2)");
                let inserted =
                    insert.bind(cx.info().run_id.to_string()).bind(text).execute(&mut *db).await;
                if text != "swallows errors" {
                    inserted.map_err(|error| error.to_string())?;
                }
                cx.dependency::<Desk>().handle(text, cx.info().attempt).await?;
                Ok(cx.info().attempt)
            }

            #[workflow(name = $entries)]
            pub async fn entries(texts: Vec<String>) -> Result<u32, String> {
                let mut attempts = 0;
                for text in texts {
                    attempts += enter(&text).await.map_err(|error| error.to_string())?;
                }
                Ok(attempts)
            }

            #[workflow(name = $side)]
            pub async fn side_by_side(count: u32) -> Result<u32, String> {
                let texts = (0..count).map(|n| n.to_string());
                let all = join_all(texts.map(|text| enter(&text))).await;
                let all: Result<Vec<u32>, _> = all.into_iter().collect();
                Ok(all.map_err(|error| error.to_string())?.iter().sum())
            }

            /// Drops the entry as soon as the gate opens.
            #[workflow(name = $either)]
            pub async fn either(text: String) -> Result<u32, String> {
                select! {
                    entered = enter(&text) => entered.map_err(|error| error.to_string()),
                    _ = super::stand_by() => Err("gave up".to_owned()),
                }
            }

            #[workflow(name = $elsewhere)]
            pub async fn elsewhere() -> Result<u32, String> {
                super::$other::enter("never").await.map_err(|error| error.to_string())
            }
        }
    };
}

books_on!(
    on_sqlite,
    SqliteConnection,
    on_postgres,
    "sqlite.enter",
    "sqlite.entries",
    "sqlite.side_by_side",
    "sqlite.elsewhere",
    "sqlite.either"
);
books_on!(
    on_postgres,
    PgConnection,
    on_sqlite,
    "postgres.enter",
    "postgres.entries",
    "postgres.side_by_side",
    "postgres.elsewhere",
    "postgres.either"
);

/// A database with the table, and functions to write and count entries.
pub struct Books {
    pub url: String,
    pub client: Client,
    pub kind: Kind,
    pub desk: Desk,
    pub pool: AnyPool,
}

impl Books {
    pub async fn open(url: &str, kind: Kind) -> Self {
        sqlx::any::install_default_drivers();
        let client = Client::connect(url).await.unwrap();
        let pool = AnyPoolOptions::new().max_connections(1).connect(url).await.unwrap();
        let table = "CREATE TABLE entries (run TEXT NOT NULL, text TEXT NOT NULL)";
        sqlx::query(table).execute(&pool).await.unwrap();
        Self { url: url.to_owned(), client, kind, desk: Desk::default(), pool }
    }

    pub fn worker(&self) -> Worker {
        self.worker_of(&self.client)
    }

    pub fn worker_of(&self, client: &Client) -> Worker {
        Worker::new(client).provide(self.desk.clone()).poll_interval(Duration::from_millis(50))
    }

    pub async fn count(&self) -> i64 {
        let count = sqlx::query_scalar("SELECT count(*) FROM entries");
        count.fetch_one(&self.pool).await.unwrap()
    }

    pub async fn enter(&self, texts: &[&str]) -> Result<u32, String> {
        let texts = texts.iter().map(|text| (*text).to_owned()).collect();
        (self.kind.entries)(&self.client, texts).await.map_err(|error| error.to_string())
    }
}
