//! Transactions that survive being dropped at any moment.
//!
//! sqlx's own forgets that a transaction has begun if the call is dropped while the server's answer
//! to `BEGIN` is under way; whoever gets the connection next would then write into a transaction
//! that nobody commits. Here a connection goes back only from a transaction that has ended;
//! otherwise it is closed, and the server rolls back.
//!
//! Between two statements of one it is the server that waits, with everything that is locked, and whoever
//! needs that waits as well. So a process that stands still there loses the transaction soon.

use sqlx::PgConnection;

use super::PostgresStore;
use super::lanes::{Lane, Lanes};

/// How long the server waits for the next statement to come whole, where that may hold states or
/// payloads, which take their time on a slow network: a third of what a whole call may take.
macro_rules! patience {
    () => {
        "SET LOCAL idle_in_transaction_session_timeout = '10s'"
    };
}
pub(super) use patience;

const BEGIN_LONG: &str = concat!("BEGIN ISOLATION LEVEL READ COMMITTED; ", patience!());

/// Where it holds ids and nothing else: longer than a process waits for its turn on a busy machine, short
/// against the lease of one that stands still.
const BEGIN_SHORT: &str = "BEGIN ISOLATION LEVEL READ COMMITTED; \
    SET LOCAL idle_in_transaction_session_timeout = '2s'";

/// Where all statements are to see the same.
const BEGIN_AT_ONE_MOMENT: &str = "BEGIN ISOLATION LEVEL REPEATABLE READ; \
    SET LOCAL idle_in_transaction_session_timeout = '2s'";

/// For statements that are made for people, no two of which are alike: each is planned by itself, by all that the
/// planner has, against the [settings](super::open) of the session.
const BEGIN_FOR_PEOPLE: &str = "BEGIN ISOLATION LEVEL READ COMMITTED; \
    SET LOCAL idle_in_transaction_session_timeout = '2s'; SET LOCAL plan_cache_mode = force_custom_plan; \
    SET LOCAL enable_seqscan = on; SET LOCAL enable_bitmapscan = on; SET LOCAL enable_hashjoin = on; \
    SET LOCAL enable_mergejoin = on";

/// A transaction, in read-committed isolation unless something else is said.
#[derive(Debug)]
pub(super) struct Transaction {
    lane: Lane,
}

impl Transaction {
    /// For statements that hold ids and nothing else.
    pub(super) async fn begin(store: &PostgresStore) -> Result<Self, sqlx::Error> {
        Self::begin_on(store.pool.lane().await?, BEGIN_SHORT).await
    }

    /// For statements that may be long.
    pub(super) async fn begin_in(lanes: &Lanes) -> Result<Self, sqlx::Error> {
        Self::begin_on(lanes.lane().await?, BEGIN_LONG).await
    }

    /// For statements that read and see the same, what was committed when the first of them began.
    pub(super) async fn begin_at_one_moment(store: &PostgresStore) -> Result<Self, sqlx::Error> {
        Self::begin_on(store.pool.lane().await?, BEGIN_AT_ONE_MOMENT).await
    }

    /// For one statement that reads what people ask for.
    pub(super) async fn begin_for_people(store: &PostgresStore) -> Result<Self, sqlx::Error> {
        Self::begin_on(store.pool.lane().await?, BEGIN_FOR_PEOPLE).await
    }

    async fn begin_on(mut lane: Lane, how: &'static str) -> Result<Self, sqlx::Error> {
        sqlx::raw_sql(how).execute(lane.get()).await?;
        Ok(Self { lane })
    }

    pub(super) fn get(&mut self) -> &mut PgConnection {
        self.lane.get()
    }

    pub(super) async fn commit(self) -> Result<(), sqlx::Error> {
        self.end("COMMIT").await
    }

    pub(super) async fn roll_back(self) -> Result<(), sqlx::Error> {
        self.end("ROLLBACK").await
    }

    async fn end(mut self, how: &'static str) -> Result<(), sqlx::Error> {
        sqlx::raw_sql(how).execute(self.get()).await?;
        self.lane.done();
        Ok(())
    }
}
