//! Connections that activities borrow, in a transaction.

use std::any::Any;
use std::io::ErrorKind;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::timeout;

use super::server::Server;
use super::transaction::{Transaction, patience};
use super::{PostgresStore, failed, judge_server, messages};
use crate::error::StoreError;
use crate::store::{ActivityTransaction, ArrivalOutcome, NewArrival};

/// The server's default settings of the planner, for statements of activities. Time between two of their statements
/// is not limited.
const USUAL_PLANS: &str = "SET LOCAL idle_in_transaction_session_timeout TO DEFAULT; \
    SET LOCAL enable_hashjoin = on; SET LOCAL enable_mergejoin = on; \
    SET LOCAL enable_seqscan = on; SET LOCAL enable_bitmapscan = on; \
    SET LOCAL plan_cache_mode = auto";

/// Restores the connection's settings. A plan made under other settings would be kept.
const OWN_PLANS: &str = concat!(
    patience!(),
    "; SET LOCAL enable_hashjoin TO DEFAULT; \
    SET LOCAL enable_mergejoin TO DEFAULT; SET LOCAL enable_seqscan TO DEFAULT; \
    SET LOCAL enable_bitmapscan TO DEFAULT; SET LOCAL plan_cache_mode TO DEFAULT"
);

struct LentConnection {
    transaction: Transaction,
    now: Option<i64>,
    server: Arc<Server>,
    answer_timeout: Duration,
    _permit: OwnedSemaphorePermit,
}

pub(super) async fn begin(
    store: &PostgresStore,
) -> Result<Box<dyn ActivityTransaction>, StoreError> {
    let failed = failed("begin_activity");
    let permit = Arc::clone(&store.lendable).acquire_owned().await;
    // The semaphore is closed after the pool.
    let permit = permit.map_err(|_| failed(sqlx::Error::PoolClosed))?;
    let begun = async {
        let mut transaction = Transaction::begin(store).await?;
        sqlx::raw_sql(USUAL_PLANS).execute(transaction.get()).await?;
        Ok(transaction)
    };
    let transaction =
        store.answered("begin_activity", async { begun.await.map_err(failed) }).await?;
    let (now, answer_timeout) = (store.given_time(), store.answer_timeout);
    let server = Arc::clone(&store.server);
    Ok(Box::new(LentConnection { transaction, now, server, answer_timeout, _permit: permit }))
}

#[async_trait]
impl ActivityTransaction for LentConnection {
    fn connection(&mut self) -> &mut (dyn Any + Send) {
        self.transaction.get()
    }

    async fn commit(self: Box<Self>, arrival: NewArrival) -> Result<ArrivalOutcome, StoreError> {
        let failed = failed("commit_activity");
        let silence = |_| failed(sqlx::Error::Io(ErrorKind::TimedOut.into()));
        let server = Arc::clone(&self.server);
        let ended = timeout(self.answer_timeout, self.end(arrival)).await.map_err(silence)?;
        ended.inspect_err(|error| judge_server(&server, error))
    }

    async fn roll_back(self: Box<Self>) -> Result<(), StoreError> {
        self.transaction.roll_back().await.map_err(failed("commit_activity"))
    }
}

impl LentConnection {
    async fn end(mut self, arrival: NewArrival) -> Result<ArrivalOutcome, StoreError> {
        let failed = failed("commit_activity");
        let connection = self.transaction.get();
        sqlx::raw_sql(OWN_PLANS).execute(&mut *connection).await.map_err(failed)?;
        let outcome = messages::deliver_within(self.now, connection, arrival).await?;
        match outcome {
            ArrivalOutcome::Accepted { .. } => self.transaction.commit().await,
            _ => self.transaction.roll_back().await,
        }
        .map_err(failed)?;
        Ok(outcome)
    }
}
