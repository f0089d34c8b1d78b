//! Messages: what arrives for runs.

mod inbox;

use async_trait::async_trait;

pub(super) use self::inbox::{add_arrivals, add_counts, deliver_within, find_recipients};
use crate::error::StoreError;
use crate::model::RunId;
use crate::store::sqlite::SqliteStore;
use crate::store::{ArrivalOutcome, Inbox, Messages, NewArrival};

#[async_trait]
impl Messages for SqliteStore {
    async fn deliver(&self, arrivals: Vec<NewArrival>) -> Result<Vec<ArrivalOutcome>, StoreError> {
        inbox::deliver(self, arrivals).await
    }

    async fn read_inbox(&self, run_id: RunId, after: i64, limit: u32) -> Result<Inbox, StoreError> {
        inbox::read(self, run_id, after, limit).await
    }
}
