//! Messages: arrivals, messages between runs, and dead letters.

pub(in crate::store) mod arrivals;
pub(in crate::store) mod dead_letters;
pub(in crate::store) mod outbox;
pub(in crate::store) mod updates;

use async_trait::async_trait;

use crate::error::StoreError;
use crate::model::RunId;
use crate::store::{
    ArrivalOutcome, DeadLetter, DeadLetterFilter, DeadLetterId, FoundUpdate, Inbox, MessageKey,
    NewArrival, RedeliverOutcome, RelayMessages, Relayed, UpdateKey, WaitingMessage,
};

/// Inboxes, the outbox, and dead letters.
///
/// The rules common to all methods are documented at [`Store`](super::Store).
#[async_trait]
pub trait Messages: Send + Sync {
    /// Puts arrivals into inboxes, in this order, each independently. Returns outcomes in the order of `arrivals`.
    /// Arrivals with an owner cause no notification in this process, since they come from it. If several outcomes
    /// apply, the first of unknown, duplicate, closed and not owner is returned. A dedup key is stored only if the
    /// arrival is accepted, and applies to its run as long as the run exists. The ends of activities that are
    /// reported with a [token](crate::store::ActivityKey::token_key) have dedup keys of the same kind.
    ///
    /// Guards: the run is open; if the arrival names an owner, that worker owns the run and has a valid lease.
    /// Locks the owners' rows in their order, then the runs in theirs. An arrival makes a run due, unless the run
    /// is owned or blocked. Only a request to cancel makes a run due that has made no step.
    async fn deliver(&self, arrivals: Vec<NewArrival>) -> Result<Vec<ArrivalOutcome>, StoreError>;

    /// The run's unconsumed arrivals with a number above `after`, in order: at most `limit`, and as many as fit in
    /// one response, but at least one if there is one. None if the run is closed or does not exist. Locks nothing.
    async fn read_inbox(&self, run_id: RunId, after: i64, limit: u32) -> Result<Inbox, StoreError>;

    /// Takes messages from the outbox and puts each into the inbox of the open run that has its workflow id, or
    /// into the dead letters if there is none. Takes the first messages of each sender, in their order: at most
    /// `limit` together, and as many as fit in one response, but at least one. Any number of processes may call it
    /// for the same messages at the same time: each message is delivered once, and those from one run to another in
    /// the order in which they were sent. Stores may use several transactions, but never split a message.
    ///
    /// Looks up first, without a lock, which run has a workflow id. Guards, once the runs are locked: the run is
    /// still open, otherwise its messages stay for the next call; the message is still in the outbox, otherwise
    /// another caller has delivered it. A message that this build cannot read stays, with all later messages of its
    /// sender. An arrival makes a run due, unless the run is owned or blocked.
    ///
    /// Messages of a run wait until those of the previous run of its chain are delivered. The call takes messages
    /// of one kind from each sender and processes each kind in its own transaction: those for inboxes, starts of
    /// children, waits for children, and ends of runs. A child is started at most once, by whichever process is
    /// first; its row records that. The transaction that delivers the end of a child removes the wait, and the one
    /// that processes the end of a parent detaches its children. Ends of runs are processed in parts, and the
    /// message stays until all parts are done.
    ///
    /// Locks the receiving runs in their order, then the rows of the outbox in the order of their keys; no other
    /// row of a sender, and no worker. It may therefore wait for commits of receivers, but never for those of
    /// senders, which only add rows.
    async fn relay_messages(&self, request: RelayMessages<'_>) -> Result<Relayed, StoreError>;

    /// The messages in the outbox, ordered by key: at most `limit`, and as many as fit in one response, but at least one if
    /// there is one. With `after`, only those after it. Locks nothing.
    async fn list_outbox(
        &self,
        after: Option<MessageKey>,
        limit: u32,
    ) -> Result<Vec<WaitingMessage>, StoreError>;

    /// The dead letters that match, ordered by id: at most `limit`, and as many as fit in one response, but at
    /// least one if there is one. With `after`, only those after it. Locks nothing.
    async fn list_dead_letters(
        &self,
        filter: &DeadLetterFilter,
        after: Option<DeadLetterId>,
        limit: u32,
    ) -> Result<Vec<DeadLetter>, StoreError>;

    /// Delivers dead letters to the inbox of the open run that has their workflow id, in the order of `ids`, each
    /// once even under concurrent calls. Returns outcomes in the order of `ids`. Reads all of them at once,
    /// whatever their size.
    ///
    /// Guards, once the runs are locked: the run is open, and the dead letter exists. Locks the runs in their
    /// order, then the dead letters in theirs.
    async fn redeliver_dead_letters(
        &self,
        ids: &[DeadLetterId],
    ) -> Result<Vec<RedeliverOutcome>, StoreError>;

    /// The progress of an update, read at one moment. The answer is kept as long as the run, even if the run is
    /// closed. Locks nothing.
    async fn find_update(&self, key: &UpdateKey) -> Result<FoundUpdate, StoreError>;

    /// Deletes dead letters. Returns how many of them existed. Locks their rows.
    async fn drop_dead_letters(&self, ids: &[DeadLetterId]) -> Result<u64, StoreError>;
}
