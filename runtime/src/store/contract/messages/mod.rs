//! Messages: what arrives for runs, what runs send to others, and what nobody could take.

pub(in crate::store) mod arrivals;
pub(in crate::store) mod dead_letters;
pub(in crate::store) mod outbox;
pub(in crate::store) mod updates;

use async_trait::async_trait;

use crate::error::StoreError;
use crate::model::RunId;
use crate::store::{
    ArrivalOutcome, DeadLetter, DeadLetterFilter, DeadLetterId, FoundUpdate, Inbox, NewArrival,
    RedeliverOutcome, RelayMessages, Relayed, UpdateKey,
};

/// Inboxes, the outbox, and dead letters.
///
/// What holds for all methods is said at [`Store`](super::Store).
#[async_trait]
pub trait Messages: Send + Sync {
    /// Puts arrivals into inboxes, in this order, each on its own. The outcomes are in the order of
    /// `arrivals`. Those with an owner are not announced in this process: they come from it. Where
    /// several outcomes apply, it is the first of unknown, duplicate, closed, not owner. A dedup key
    /// counts for its run, for as long as there is one, and only if the arrival was accepted; ends that are
    /// told with a [token](crate::store::ActivityKey::token_key) are known by keys of the same kind.
    ///
    /// Guards: the run is open; if the arrival names an owner, that is the run's and its lease is valid.
    /// Locks the rows of the owners in their order, then the runs in theirs. An arrival makes a run due
    /// that nobody owns and that is not blocked; one that has not made a step yet is made due by requests to cancel it alone.
    async fn deliver(&self, arrivals: Vec<NewArrival>) -> Result<Vec<ArrivalOutcome>, StoreError>;

    /// The run's unconsumed arrivals with a number above `after`, at most `limit`, in order, as far as they
    /// fit one answer. If there is one, there is one in the answer. Locks nothing; of a run that is closed
    /// or not there, none.
    async fn read_inbox(&self, run_id: RunId, after: i64, limit: u32) -> Result<Inbox, StoreError>;

    /// Takes messages out of the outbox and puts each into the inbox of the open run that has its workflow
    /// id, or among the dead letters if there is none. Of each sender it takes the first messages, in their
    /// order; together at most `limit`, and as many as fit one answer, but one at least. It may be called for
    /// the same messages by any number of processes at any time: each is delivered once, and those of one run
    /// to another in the order in which they were sent. It may be several transactions, none with a part of a
    /// message.
    ///
    /// Which run has a workflow id is looked up first, without a lock. Guards, once the runs are locked: the
    /// run is still open, or else its messages stay for the next call; a message is still in the outbox, or
    /// else somebody else has taken it. A message that this build cannot read stays, with those of its sender
    /// behind it. An arrival makes a run due that nobody owns and that is not blocked.
    ///
    /// Messages of a run wait until those of the run before it in its chain are gone. Of each sender it takes messages of
    /// one kind, and carries out each kind by a transaction of its own: those for inboxes, starts of children, waits
    /// for children, and ends of runs. A child is tried to be started once, whoever tries: its row says so. A wait is
    /// taken away by the transaction that tells of the end, and a child is detached by the one that deals with it. Of
    /// the end of a run it does a part at a time, and the message stays until all is done.
    ///
    /// Locks the runs that messages are for in their order, then the rows of the outbox in the order of their
    /// keys; no row of a sender but these, and no worker. So it waits for commits of those who receive, and
    /// never for those of a sender, which only add rows.
    async fn relay_messages(&self, request: RelayMessages<'_>) -> Result<Relayed, StoreError>;

    /// The dead letters that match, in the order of their ids, at most `limit` and as far as they fit one
    /// answer; with `after`, only those behind it. If there is one, there is one in the answer. Locks
    /// nothing.
    async fn list_dead_letters(
        &self,
        filter: &DeadLetterFilter,
        after: Option<DeadLetterId>,
        limit: u32,
    ) -> Result<Vec<DeadLetter>, StoreError>;

    /// Puts dead letters into the inbox of the open run that has their workflow id, in the order of `ids`,
    /// each once whoever else asks for the same. The outcomes are in the order of `ids`. All of them are
    /// read at once, however long they are.
    ///
    /// Guards, once the runs are locked: the run is open, and the letter is there. Locks the runs in their
    /// order, then the letters in theirs.
    async fn redeliver_dead_letters(
        &self,
        ids: &[DeadLetterId],
    ) -> Result<Vec<RedeliverOutcome>, StoreError>;

    /// How far an update has come, as it was at one moment. Its answer is there for as long as the run, also when that
    /// is closed. Locks nothing.
    async fn find_update(&self, key: &UpdateKey) -> Result<FoundUpdate, StoreError>;

    /// Forgets dead letters. Returns how many of them were there. Locks their rows.
    async fn drop_dead_letters(&self, ids: &[DeadLetterId]) -> Result<u64, StoreError>;
}
