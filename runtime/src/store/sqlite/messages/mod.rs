//! Inboxes, the outbox and dead letters.

mod dead_letters;
mod inbox;
mod leftovers;
mod outbox;
mod relay;
mod updates;

use async_trait::async_trait;

pub(super) use self::inbox::{add_arrivals, add_counts, deliver_within, find_recipients, look_up};
pub(super) use self::leftovers::{add_emptied, add_leftovers};
pub(super) use self::outbox::{add_removal, bind_key};
use crate::error::StoreError;
use crate::model::RunId;
use crate::store::sqlite::SqliteStore;
use crate::store::{
    ArrivalOutcome, DeadLetter, DeadLetterFilter, DeadLetterId, FoundUpdate, Inbox, MessageKey,
    Messages, NewArrival, RedeliverOutcome, RelayMessages, Relayed, UpdateKey, WaitingMessage,
};

#[async_trait]
impl Messages for SqliteStore {
    async fn deliver(&self, arrivals: Vec<NewArrival>) -> Result<Vec<ArrivalOutcome>, StoreError> {
        inbox::deliver(self, arrivals).await
    }

    async fn read_inbox(&self, run_id: RunId, after: i64, limit: u32) -> Result<Inbox, StoreError> {
        inbox::read(self, run_id, after, limit).await
    }

    async fn relay_messages(&self, request: RelayMessages<'_>) -> Result<Relayed, StoreError> {
        relay::relay(self, request).await
    }

    async fn list_outbox(
        &self,
        after: Option<MessageKey>,
        limit: u32,
    ) -> Result<Vec<WaitingMessage>, StoreError> {
        outbox::list(self, after, limit).await
    }

    async fn list_dead_letters(
        &self,
        filter: &DeadLetterFilter,
        after: Option<DeadLetterId>,
        limit: u32,
    ) -> Result<Vec<DeadLetter>, StoreError> {
        dead_letters::list(self, filter, after, limit).await
    }

    async fn redeliver_dead_letters(
        &self,
        ids: &[DeadLetterId],
    ) -> Result<Vec<RedeliverOutcome>, StoreError> {
        dead_letters::redeliver(self, ids).await
    }

    async fn find_update(&self, key: &UpdateKey) -> Result<FoundUpdate, StoreError> {
        updates::find(self, key).await
    }

    async fn drop_dead_letters(&self, ids: &[DeadLetterId]) -> Result<u64, StoreError> {
        dead_letters::drop_letters(self, ids).await
    }
}
