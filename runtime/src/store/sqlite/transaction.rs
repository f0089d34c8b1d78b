//! Transactions of activities on the writing connection, each in its own turn.

use std::any::Any;

use async_trait::async_trait;

use super::clock::Moment;
use super::script::Script;
use super::{SqliteStore, Turn, failed, messages};
use crate::error::StoreError;
use crate::store::{ActivityTransaction, ArrivalOutcome, NewArrival};

pub(super) struct SqliteTransaction {
    turn: Turn,
    now: Moment,
}

pub(super) async fn begin(store: &SqliteStore) -> Result<Box<dyn ActivityTransaction>, StoreError> {
    let mut turn = store.turn().await;
    let mut script = Script::new();
    script.sql("BEGIN IMMEDIATE");
    turn.begin(script).await.map_err(failed("begin_activity"))?;
    turn.lend().await.map_err(failed("begin_activity"))?;
    Ok(Box::new(SqliteTransaction { turn, now: store.moment() }))
}

#[async_trait]
impl ActivityTransaction for SqliteTransaction {
    fn connection(&mut self) -> &mut (dyn Any + Send) {
        self.turn.connection()
    }

    async fn commit(self: Box<Self>, arrival: NewArrival) -> Result<ArrivalOutcome, StoreError> {
        // No process could have fenced the worker since the transaction began.
        messages::deliver_within(self.turn, self.now, arrival).await
    }

    async fn roll_back(mut self: Box<Self>) -> Result<(), StoreError> {
        self.turn.roll_back().await;
        Ok(())
    }
}
