//! Inboxes, the outbox and dead letters.

mod dead_letters;
mod inbox;
mod leftovers;
mod outbox;
mod reads;
mod relay;
mod updates;

use async_trait::async_trait;

pub(super) use self::inbox::{VALID, deliver_within, find_recipients, write};
pub(super) use self::leftovers::{empty_inboxes, keep_leftovers};
pub(super) use self::outbox::remove;
pub(super) use self::reads::Reads;
use crate::error::StoreError;
use crate::model::RunId;
use crate::store::postgres::{PostgresStore, failed};
use crate::store::{
    ArrivalOutcome, DeadLetter, DeadLetterFilter, DeadLetterId, FoundUpdate, Inbox, MessageKey,
    Messages, NewArrival, RedeliverOutcome, RelayMessages, Relayed, UpdateKey, WaitingMessage,
    Weight,
};

#[async_trait]
impl Messages for PostgresStore {
    async fn deliver(&self, arrivals: Vec<NewArrival>) -> Result<Vec<ArrivalOutcome>, StoreError> {
        let bytes = arrivals.iter().map(Weight::weight).sum();
        self.written("deliver", bytes, inbox::deliver(self, arrivals)).await
    }

    async fn read_inbox(&self, run_id: RunId, after: i64, limit: u32) -> Result<Inbox, StoreError> {
        let failed = failed("read_inbox");
        let read = async { self.reads.read(run_id, after, limit).await.map_err(failed) };
        self.asked("read_inbox", read).await
    }

    async fn relay_messages(&self, request: RelayMessages<'_>) -> Result<Relayed, StoreError> {
        self.answered("relay_messages", relay::relay(self, request)).await
    }

    async fn list_outbox(
        &self,
        after: Option<MessageKey>,
        limit: u32,
    ) -> Result<Vec<WaitingMessage>, StoreError> {
        self.asked("list_outbox", outbox::list(self, after, limit)).await
    }

    async fn list_dead_letters(
        &self,
        filter: &DeadLetterFilter,
        after: Option<DeadLetterId>,
        limit: u32,
    ) -> Result<Vec<DeadLetter>, StoreError> {
        self.asked("list_dead_letters", dead_letters::list(self, filter, after, limit)).await
    }

    async fn redeliver_dead_letters(
        &self,
        ids: &[DeadLetterId],
    ) -> Result<Vec<RedeliverOutcome>, StoreError> {
        self.asked("redeliver_dead_letters", dead_letters::redeliver(self, ids)).await
    }

    async fn find_update(&self, key: &UpdateKey) -> Result<FoundUpdate, StoreError> {
        self.asked("find_update", updates::find(self, key)).await
    }

    async fn drop_dead_letters(&self, ids: &[DeadLetterId]) -> Result<u64, StoreError> {
        self.asked("drop_dead_letters", dead_letters::drop_letters(self, ids)).await
    }
}
