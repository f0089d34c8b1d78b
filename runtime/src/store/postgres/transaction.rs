//! Transactions that can be dropped at any time.
//!
//! sqlx's own transaction does not know that it has begun if the call is dropped while the response to `BEGIN` is
//! under way; the next user of the connection would then write into a transaction that nobody commits. Here, a
//! connection is reused only after its transaction has ended; otherwise it is closed, and the server rolls back.
//!
//! Between two statements the server waits, with all locks held, and everyone who needs these locks waits, too. A
//! process that is stopped there therefore soon loses its transaction.

use sqlx::PgConnection;

use super::PostgresStore;
use super::lanes::{Lane, Lanes};

/// How long the server waits for the next statement if that may contain states or payloads, which take time on a
/// slow network: a third of the limit of the whole call.
macro_rules! patience {
    () => {
        "SET LOCAL idle_in_transaction_session_timeout = '10s'"
    };
}
pub(super) use patience;

const BEGIN_LONG: &str = concat!("BEGIN ISOLATION LEVEL READ COMMITTED; ", patience!());

/// The same if the statement contains only ids: longer than a process waits for the CPU on a busy machine, and
/// short compared with the lease of a stopped one.
const BEGIN_SHORT: &str = "BEGIN ISOLATION LEVEL READ COMMITTED; \
    SET LOCAL idle_in_transaction_session_timeout = '2s'";

/// For statements that must see the same data.
const BEGIN_AT_ONE_MOMENT: &str = "BEGIN ISOLATION LEVEL REPEATABLE READ; \
    SET LOCAL idle_in_transaction_session_timeout = '2s'";

/// For ad hoc statements of people: each is planned on its own with all features of the planner, in spite of the
/// [settings](super::open) of the session.
const BEGIN_FOR_PEOPLE: &str = "BEGIN ISOLATION LEVEL READ COMMITTED; \
    SET LOCAL idle_in_transaction_session_timeout = '2s'; SET LOCAL plan_cache_mode = force_custom_plan; \
    SET LOCAL enable_seqscan = on; SET LOCAL enable_bitmapscan = on; SET LOCAL enable_hashjoin = on; \
    SET LOCAL enable_mergejoin = on";

/// A transaction at the isolation level read committed, by default.
#[derive(Debug)]
pub(super) struct Transaction {
    lane: Lane,
}

impl Transaction {
    /// For statements that contain only ids.
    pub(super) async fn begin(store: &PostgresStore) -> Result<Self, sqlx::Error> {
        Self::begin_on(store.pool.lane().await?, BEGIN_SHORT).await
    }

    /// For statements that may be large.
    pub(super) async fn begin_in(lanes: &Lanes) -> Result<Self, sqlx::Error> {
        Self::begin_on(lanes.lane().await?, BEGIN_LONG).await
    }

    /// For reads that see the same data, as committed when the first of them began.
    pub(super) async fn begin_at_one_moment(store: &PostgresStore) -> Result<Self, sqlx::Error> {
        Self::begin_on(store.pool.lane().await?, BEGIN_AT_ONE_MOMENT).await
    }

    /// For one ad hoc statement of people.
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
