//! Messages: what arrives for runs.

pub(in crate::store) mod arrivals;

use async_trait::async_trait;

use crate::error::StoreError;
use crate::model::RunId;
use crate::store::{ArrivalOutcome, Inbox, NewArrival};

/// What arrives for runs. What holds for all methods is said at [`Store`](super::Store).
#[async_trait]
pub trait Messages: Send + Sync {
    /// Puts arrivals into inboxes, in this order, each on its own. The outcomes are in the order of
    /// `arrivals`. Those with an owner are not announced in this process: they come from it. Where
    /// several outcomes apply, it is the first of unknown, duplicate, closed, not owner. A dedup key
    /// counts for its run, for as long as there is one, and only if the arrival was accepted; ends that are
    /// told with a [token](ActivityKey::token_key) are known by keys of the same kind.
    ///
    /// Guards: the run is open; if the arrival names an owner, that is the run's and its lease is valid.
    /// Locks the rows of the owners in their order, then the runs in theirs. An arrival makes a run due
    /// that nobody owns and that is not blocked.
    async fn deliver(&self, arrivals: Vec<NewArrival>) -> Result<Vec<ArrivalOutcome>, StoreError>;

    /// The run's unconsumed arrivals with a number above `after`, at most `limit`, in order, as far as they
    /// fit one answer. If there is one, there is one in the answer. Locks nothing; of a run that is closed
    /// or not there, none.
    async fn read_inbox(&self, run_id: RunId, after: i64, limit: u32) -> Result<Inbox, StoreError>;
}
