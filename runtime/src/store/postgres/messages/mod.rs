//! Messages: what arrives for runs.

mod inbox;
mod reads;

use async_trait::async_trait;

pub(super) use self::inbox::{VALID, deliver_within, find_recipients, write};
pub(super) use self::reads::Reads;
use crate::error::StoreError;
use crate::model::RunId;
use crate::store::postgres::{PostgresStore, failed};
use crate::store::{ArrivalOutcome, Inbox, Messages, NewArrival};

#[async_trait]
impl Messages for PostgresStore {
    async fn deliver(&self, arrivals: Vec<NewArrival>) -> Result<Vec<ArrivalOutcome>, StoreError> {
        self.answered("deliver", inbox::deliver(self, arrivals)).await
    }

    async fn read_inbox(&self, run_id: RunId, after: i64, limit: u32) -> Result<Inbox, StoreError> {
        let failed = failed("read_inbox");
        let read = async { self.reads.read(run_id, after, limit).await.map_err(failed)? };
        self.answered("read_inbox", read).await
    }
}
