//! The methods of a store. What holds for all of them is said in the [module above](super).

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;

use super::{
    ActivityHeartbeat, ActivityKey, ActivityRecord, ActivityTransaction, ArrivalOutcome,
    BlockedRun, ClaimActivities, ClaimRequest, Claimed, ClaimedActivities, ClaimedRun,
    CommitOutcome, CommitStep, DefinitionRecord, ExpiredActivity, FinishActivity, FinishOutcome,
    FoundEnding, HeartbeatOutcome, Hub, Inbox, NewArrival, NewRun, NewWorker, Renewal,
    ReviewedActivities, ReviewedRuns, RunFilter, RunKey, RunRecord, StartOutcome, WorkerLease,
};
use crate::error::StoreError;
use crate::model::{RunId, RunStatus, Timestamp, WorkerId};

/// A database that keeps runs. All methods are cancellation safe in the sense that a dropped call
/// has either had its whole effect or none; which of the two, the caller finds out by asking again.
///
/// A worker's lease is *valid* if the worker's row has its epoch and has not run out by the database's
/// clock. Unless a method says more, its only errors are those of the database:
///
/// # Errors
/// - [`StoreError::Database`]: what was asked for may have been written, wholly or of some of the things
///   that it was about, each of which is whole. Asked again, a method does what is left to be done; only
///   a worker, and an arrival without a dedup key, may be there twice then.
/// - [`StoreError::Unstorable`]: a value is not one that the database keeps, and nothing was written of
///   what it belongs to. Asked one by one, the store tells which it is.
/// - [`StoreError::Corrupt`]: a row that was read holds what no piton writes.
#[async_trait]
pub trait Store: Send + Sync + std::fmt::Debug + 'static {
    /// In-process news of what this store has committed, and, where the database can tell, of what
    /// other processes have.
    fn hub(&self) -> &Arc<Hub>;

    /// The database's clock. Locks nothing.
    async fn now(&self) -> Result<Timestamp, StoreError>;

    /// The id of a run to be started. By default from the clock and random bits of this process; a
    /// store for simulations gives ids that can be repeated.
    fn new_run_id(&self) -> RunId {
        RunId::new()
    }

    /// Adds a worker with a fresh lease, under an id that no worker has had. Each call adds another: if
    /// the answer is lost, a worker is left whose lease runs out. May forget workers that were fenced long
    /// ago.
    async fn register_worker(&self, worker: NewWorker) -> Result<WorkerLease, StoreError>;

    /// Extends a lease to `lease` from now.
    ///
    /// Guard: the lease is valid, or else [`Renewal::Fenced`] and nothing is written: a lease that has run
    /// out does not come back, though nobody has fenced the worker yet. Locks the worker's row, and waits
    /// for nobody who only relies on it.
    async fn renew_lease(
        &self,
        worker: WorkerLease,
        lease: Duration,
    ) -> Result<Renewal, StoreError>;

    /// Whether [`Store::renew_lease`] may be called, for all workers, on a runtime of its own, where leases
    /// are kept while those who make all other calls stand still. So it must not wait for any of them, not
    /// even for one that is under way and that nobody polls. By default it may not: leases are renewed
    /// where the worker is, on virtual time for example.
    fn renews_apart(&self) -> bool {
        false
    }

    /// Removes a worker; what it still owned is due at once, without counting as a takeover; the
    /// attempts of activities that it was making count as interrupted. Removing a worker that is gone
    /// does nothing.
    ///
    /// Guard: the epoch; the lease may have run out. Locks the worker's row, then its runs, then its
    /// activities.
    async fn release_worker(&self, worker: WorkerLease) -> Result<(), StoreError>;

    /// Fences every worker whose lease has run out: raises its epoch and makes its runs due, each
    /// counting one more takeover, and its attempts of activities on queues interruptions. Returns
    /// the workers fenced by this call and the number of runs let go; asked again, nobody.
    ///
    /// Guard: the lease has run out by the database's clock once the row is locked, and nobody has fenced
    /// the worker. Locks the workers' rows in their order against everybody who relies on them, then their
    /// runs, then their activities. Writes and locks nothing where no lease has run out.
    ///
    /// An attempt on a queue that is cut off a second time is due again after 1 s, then twice as long each time, 60 s
    /// at most.
    async fn fence_expired_workers(&self) -> Result<(Vec<WorkerId>, u64), StoreError>;

    /// The workers whose process is known to have ended although their lease has not run out, as far
    /// as this store can tell; for example because a lock that the process held is free again. By
    /// default none: the lease then tells. Locks no rows; whoever is named is to be fenced.
    async fn find_dead_workers(&self) -> Result<Vec<WorkerId>, StoreError> {
        Ok(Vec::new())
    }

    /// Fences these workers although their lease has not run out, because they are known to be
    /// dead. Returns the number of runs let go; those who have been fenced or are gone count nothing.
    /// Guards and locks are those of [`Store::fence_expired_workers`], but for the lease.
    async fn fence_workers(&self, workers: &[WorkerId]) -> Result<u64, StoreError>;

    /// The workers that have been neither fenced nor released, with what they said of themselves, in
    /// the order of their ids, whether or not their leases have run out. Locks nothing.
    async fn list_workers(&self) -> Result<Vec<(WorkerLease, NewWorker)>, StoreError>;

    /// Inserts runs, each on its own: one that is refused does not stop the others. The outcomes
    /// are in the order of `runs`; of several with one workflow id the first is started. What lies in
    /// a run's inbox from the start is there with its dedup key before anybody can see the run.
    ///
    /// Guards, for each run: there is none with its run id, or else [`StartOutcome::Repeated`], so that
    /// whoever has lost the answer may ask again, also when that run is closed; then no open run has its
    /// workflow id, or else [`StartOutcome::IdTaken`]. An owner is given the run only while its lease is
    /// valid; without one the run is due at its time, and [owned](StartOutcome::Started::owned) says so.
    /// Locks the rows of the owners in their order, and then what keeps two starts of one id apart (a
    /// unique index): of two at the same moment one waits for the other, and is told what that came to.
    async fn start_runs(&self, runs: Vec<NewRun>) -> Result<Vec<StartOutcome>, StoreError>;

    /// Gives due runs to a worker, those that have been due for longest first, as far as their snapshots
    /// fit one answer. The arrivals that come with them are limited by themselves. Asking in vain writes
    /// nothing. Less may be given than is due, because of others who claim or because no more fits; the
    /// answer then says that the next is due already.
    ///
    /// Guards: the lease is valid, and each run is still due and nobody's once it is locked. Locks the
    /// worker's row, then the runs, in the order in which they are due, and skips those that somebody else
    /// has locked: of two claims none waits for the other.
    ///
    /// # Errors
    /// [`StoreError::Fenced`] if the worker's lease is not valid.
    async fn claim_runs(&self, request: ClaimRequest<'_>) -> Result<Claimed, StoreError>;

    /// The runs that `worker` owns apart from those in `held`, as a claim would give them: what a
    /// claim or a start gave whose answer was lost on the way. Not all of them if more would not fit one
    /// answer: whoever asks again, with these among those held, gets the rest. Writes and locks nothing,
    /// since nobody else can have them while the lease is valid.
    ///
    /// # Errors
    /// [`StoreError::Fenced`] if the worker's lease is not valid.
    async fn recover_claims(
        &self,
        worker: WorkerLease,
        held: &[RunId],
        inbox_limit: u32,
    ) -> Result<Vec<ClaimedRun>, StoreError>;

    /// Commits steps of runs that `worker` owns, each guarded on its own and as a whole: the run's row,
    /// the arrivals it has used up, the activities it asks for and gives up. The outcomes are in the
    /// order of `steps`. No two steps may be of the same run.
    ///
    /// Guards: the worker's lease is valid; the run points to it in this epoch, and its `step_no` is the
    /// one expected, or else [`CommitOutcome::Lost`]. A step that was committed is lost when it is sent
    /// again: `step_no` has moved. A parked run whose inbox holds more than was read is due at once. Locks
    /// the worker's row, then the runs, then their other rows. It may be several transactions, none with a
    /// part of a step.
    ///
    /// # Errors
    /// [`StoreError::Fenced`] if the worker's lease is not valid and no step was committed.
    async fn commit_steps(
        &self,
        worker: WorkerLease,
        steps: &[&CommitStep],
    ) -> Result<Vec<CommitOutcome>, StoreError>;

    /// How many calls of [`Store::commit_steps`] at a time write the most. By default one, as of a
    /// database with one writer.
    fn commit_lanes(&self) -> usize {
        1
    }

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

    /// Gives due activities to a worker, those that have been due for longest first as far as there
    /// is room for each, with its next attempt's number. Activities whose limits have run out are
    /// not given. Asking in vain writes nothing. Less may be given than there is room for, because
    /// of others who claim or because no more fits one answer, which then says that the next is due already.
    ///
    /// Guards: the lease is valid, and each activity is still due once it is locked. Locks the worker's
    /// row, then the activities, in the order in which they are due, skipping those that somebody else has
    /// locked.
    ///
    /// # Errors
    /// [`StoreError::Fenced`] if the worker's lease is not valid.
    async fn claim_activities(
        &self,
        request: ClaimActivities<'_>,
    ) -> Result<ClaimedActivities, StoreError>;

    /// Compares the attempts that `worker` makes with those it thinks it makes, `held`, each with
    /// its number. The slow poll that finds what lost news and lost answers would have told. Of those it
    /// does not know of, as many as fit one answer. Locks nothing.
    ///
    /// # Errors
    /// [`StoreError::Fenced`] if the worker's lease is not valid.
    async fn review_activities(
        &self,
        worker: WorkerLease,
        held: &[(ActivityKey, u32)],
    ) -> Result<ReviewedActivities, StoreError>;

    /// Notes signs of life, each on its own: the limit for silence runs anew, from the database's clock
    /// and not beyond that of the attempt, and details replace those before; of several of one attempt the
    /// last ones count. The outcomes are in the order of `heartbeats`.
    ///
    /// Guards: the attempt is the activity's current one and is being made or awaits its token; a worker
    /// makes it and its lease is valid, while a token gives the right by itself and a limit that has run
    /// out gives none. Otherwise [`HeartbeatOutcome::Stale`]. Locks the rows of the workers in their order,
    /// then the activities in theirs; no run.
    async fn heartbeat_activities(
        &self,
        heartbeats: Vec<ActivityHeartbeat>,
    ) -> Result<Vec<HeartbeatOutcome>, StoreError>;

    /// Ends attempts, in this order, each on its own: of several ends of one attempt the first
    /// counts. An outcome is announced as an arrival. The outcomes are in the order of `ends`.
    ///
    /// Guards, in this order. An end that is told with a token was not told before, by its
    /// [key](FinishActivity::dedup_key), or else [`FinishOutcome::Repeated`], also when the activity is
    /// long gone. The attempt is the current one and whoever reports has the [right](super::Reporter) to; the run
    /// is open, if there is an outcome for it: or else [`FinishOutcome::Stale`]. The row of an activity
    /// whose run is closed goes all the same. Locks the rows of the workers in their order, then the
    /// runs that outcomes are for, then the activities.
    async fn finish_activities(
        &self,
        ends: Vec<FinishActivity>,
    ) -> Result<Vec<FinishOutcome>, StoreError>;

    /// Activities one of whose limits has run out, at most `limit` and as far as their calls fit one
    /// answer, the longest overdue first. If there is one, there is one in the answer. What
    /// follows is for the caller to decide and to say with [`Reporter::Expiry`](super::Reporter::Expiry). Locks nothing: that the
    /// limit has still run out is looked at when the end is told.
    async fn expired_activities(&self, limit: u32) -> Result<Vec<ExpiredActivity>, StoreError>;

    /// What is known of an activity on a queue, for as long as it is not over. Locks nothing.
    async fn find_activity(&self, key: ActivityKey) -> Result<Option<ActivityRecord>, StoreError>;

    /// Begins a transaction in which an activity writes. It holds what other writers need (on
    /// SQLite, the right to write; on Postgres, a connection), so it must be short.
    ///
    /// # Errors
    /// [`StoreError::NoTransactions`] if the store has none.
    async fn begin_activity(&self) -> Result<Box<dyn ActivityTransaction>, StoreError> {
        Err(StoreError::NoTransactions)
    }

    /// Returns once no transaction is under way that has written to this run and whose commit was
    /// asked for before; what such a transaction has come to can be read then. Waits for the run's lock and
    /// lets it go at once; writes nothing, and a run that is not there is settled. By default nothing is
    /// waited for, as of a store with one writer.
    async fn settle_run(&self, _run_id: RunId) -> Result<(), StoreError> {
        Ok(())
    }

    /// The run's unconsumed arrivals with a number above `after`, at most `limit`, in order, as far as they
    /// fit one answer. If there is one, there is one in the answer. Locks nothing; of a run that is closed
    /// or not there, none.
    async fn read_inbox(&self, run_id: RunId, after: i64, limit: u32) -> Result<Inbox, StoreError>;

    /// Compares the runs that `worker` has with what it thinks it has: each with how far its inbox has
    /// been read. The slow poll that finds what lost news would have told. Locks nothing. Whether the
    /// lease is valid does not matter: a worker that is fenced owns nothing.
    async fn review_runs(
        &self,
        worker: WorkerLease,
        held: &[(RunId, i64)],
    ) -> Result<ReviewedRuns, StoreError>;

    /// What is known of a run. A [`RunKey::WorkflowId`] names the open run with that id, or else
    /// the one that the database says was started last. Locks nothing.
    async fn find_run(&self, key: &RunKey) -> Result<Option<RunRecord>, StoreError>;

    /// The snapshot of a run as its last commit left it; of a closed run, what is left of that.
    /// Locks nothing.
    async fn find_snapshot(&self, run_id: RunId) -> Result<Option<Vec<u8>>, StoreError>;

    /// What these runs have come to, in their order, as far as that fits one answer: of the first at
    /// least. The lookup behind waiting for results: less is
    /// read than for [`Store::find_run`], and many are asked for at a time. Locks nothing.
    async fn find_endings(&self, run_ids: &[RunId]) -> Result<Vec<FoundEnding>, StoreError>;

    /// The runs that match, newest first, at most `limit` and as far as their results fit one answer; with
    /// `before`, only those behind it. If there is one, there is one in the answer. Locks nothing.
    async fn list_runs(
        &self,
        filter: &RunFilter,
        before: Option<RunId>,
        limit: u32,
    ) -> Result<Vec<RunRecord>, StoreError>;

    /// How many runs match, by status; statuses without runs are left out. Locks nothing.
    async fn count_runs(&self, filter: &RunFilter) -> Result<Vec<(RunStatus, u64)>, StoreError>;

    /// Closes an open run as terminated, whoever owns it. Returns whether that is what the run has come
    /// to, by this call or by one before it with the same reason: whoever has lost the answer may ask
    /// again. Of a run that is not there, `false`. The inbox is emptied, the activities on queues go, and
    /// dedup keys stay.
    ///
    /// Guard: the run is open once it is locked. Locks its row, then its activities; no worker: the owner
    /// finds out by its next commit, whose guard is the owner in the row.
    async fn terminate_run(&self, run_id: RunId, reason: &str) -> Result<bool, StoreError>;

    /// Makes blocked runs of these workflows (or just `run_id`, whatever its workflow) due again, for any
    /// reason that they are blocked for; of those [whose workers died](crate::model::BlockedReason::WorkersDied)
    /// only `run_id`, whose takeovers then count as one at most. Returns how many; asked again, those that have
    /// been blocked anew.
    ///
    /// Guard: each run is still blocked once it is locked. Locks the runs in their order; no worker, since
    /// a blocked run has no owner.
    async fn unblock_runs(
        &self,
        workflows: &[&str],
        run_id: Option<RunId>,
    ) -> Result<u64, StoreError>;

    /// Runs of these workflows that are blocked because a build lacked something
    /// ([`is_of_the_build`](crate::model::BlockedReason::is_of_the_build)), in the order of their ids, at
    /// most `limit`; with `after`, only those behind it. Other blocked runs, however many, cost nothing
    /// here. Locks nothing: that a run is still blocked is looked at by [`Store::adopt_blocked`].
    async fn find_blocked(
        &self,
        workflows: &[&str],
        after: Option<RunId>,
        limit: u32,
    ) -> Result<Vec<BlockedRun>, StoreError>;

    /// Gives those of `run_ids` that are blocked to a worker, no longer blocked, as a claim would give
    /// them, in the order of their ids. In between no other worker can have them, as it could if they were
    /// unblocked and claimed. Those that are not blocked, or no longer, are left out.
    ///
    /// Guards: the lease is valid, and each run is still blocked once it is locked. Locks the worker's row,
    /// then the runs in their order.
    ///
    /// # Errors
    /// [`StoreError::Fenced`] if the worker's lease is not valid.
    async fn adopt_blocked(
        &self,
        worker: WorkerLease,
        run_ids: &[RunId],
        inbox_limit: u32,
    ) -> Result<Vec<ClaimedRun>, StoreError>;

    /// Keeps definitions that are not kept yet, by workflow and hash; one that is kept stays as it is.
    async fn record_definitions(&self, definitions: &[DefinitionRecord]) -> Result<(), StoreError>;

    /// The definition with this hash. Locks nothing.
    async fn find_definition(
        &self,
        workflow: &str,
        hash: crate::model::DefinitionHash,
    ) -> Result<Option<DefinitionRecord>, StoreError>;

    /// Ends background tasks and closes connections.
    async fn close(&self);
}
