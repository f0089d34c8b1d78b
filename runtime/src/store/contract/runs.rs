//! Runs: starting, owning, stepping and closing them.

use std::borrow::Cow;

use async_trait::async_trait;

use crate::error::StoreError;
use crate::model::{
    AttributeMap, BlockedReason, DefinitionHash, Link, Memo, Payload, RunId, RunStatus, StepNo,
    Terms, Timestamp, recorded,
};
use crate::store::{
    ChangeOutcome, ChangeRun, EditOutcome, EditRun, Effect, Ending, FirstArrival, Inbox,
    WorkerLease,
};

/// What becomes of runs.
///
/// What holds for all methods is said at [`Store`](super::Store).
#[async_trait]
pub trait Runs: Send + Sync {
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

    /// Compares the runs that `worker` has with what it thinks it has: each with how far its inbox has
    /// been read. The slow poll that finds what lost news would have told. Locks nothing. Whether the
    /// lease is valid does not matter: a worker that is fenced owns nothing.
    async fn review_runs(
        &self,
        worker: WorkerLease,
        held: &[(RunId, i64)],
    ) -> Result<ReviewedRuns, StoreError>;

    /// Commits steps of runs that `worker` owns, each guarded on its own and as a whole: the run's row,
    /// the arrivals it has used up, its effects. The outcomes are in the
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

    /// How many calls of [`Self::commit_steps`] at a time write the most. By default one, as of a
    /// database with one writer.
    fn commit_lanes(&self) -> usize {
        1
    }

    /// Returns once no transaction is under way that has written to this run and whose commit was
    /// asked for before; what such a transaction has come to can be read then. Waits for the run's lock and
    /// lets it go at once; writes nothing, and a run that is not there is settled. By default nothing is
    /// waited for, as of a store with one writer.
    async fn settle_run(&self, _run_id: RunId) -> Result<(), StoreError> {
        Ok(())
    }

    /// Closes an open run as terminated, whoever owns it. If its end concerns others, the message that it is over is in
    /// the outbox then. Returns whether that is what the run has come
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
    /// here. Locks nothing: that a run is still blocked is looked at by [`Self::adopt_blocked`].
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

    /// Puts a run that nobody is executing into another state: one that is parked or blocked, or, with
    /// [`EditRun::reopen`], one that is over without having completed, which is open again then. It is no
    /// longer blocked, its takeovers are none, and, unless it is paused, which it stays, it falls due at [`EditRun::wake_at`], or at once if
    /// anything lies in its inbox, which the new state may wait for. The inbox stays as it is, with
    /// [`EditRun::arrivals`] behind what is there; that of a run
    /// that is over was emptied when it closed. One audit entry is written with the change.
    ///
    /// A run that a worker has is refused as [`EditOutcome::Busy`] and not taken away: the worker may be
    /// carrying out what the state asks for, and whoever has read that state cannot know how far it has
    /// come. A worker that is fenced has no runs any more. `step_no` counts one further, so neither a
    /// worker that has had the run nor a second change that was read from the same state meets its guard;
    /// the same change made again is [`EditOutcome::Moved`].
    ///
    /// Guards, once the run is locked: it is there; nobody owns it; its `step_no` is the one that was read; it
    /// is open or may be opened again, and then no open run has its workflow id. The outcome names the first
    /// that does not hold, and nothing is written. Locks the run, then its activities; no worker, since the
    /// run has no owner.
    async fn edit_run(&self, edit: EditRun) -> Result<EditOutcome, StoreError>;

    /// Changes a run as somebody has asked for who is told of in an audit entry, which is written with the change. The
    /// change itself is as without an entry: see [`RunChange`](crate::store::RunChange). Asked again, a change that was
    /// made is [`ChangeOutcome::Unchanged`], and one that deletes [`ChangeOutcome::Unknown`]; something that arrives
    /// without a dedup key arrives again.
    ///
    /// Guards, once the run is locked: it is there, and what arrives or terminates meets an open run, what deletes one
    /// that is over. Locks the run, then its other rows; no worker.
    async fn change_run(&self, change: ChangeRun) -> Result<ChangeOutcome, StoreError>;
}

/// A run to be started.
#[derive(Clone, Debug, PartialEq)]
pub struct NewRun {
    /// Its id.
    pub run_id: RunId,
    /// The business key; no two open runs share one.
    pub workflow_id: String,
    /// The workflow's stored name.
    pub workflow: String,
    /// The encoded arguments.
    pub arguments: Payload,
    /// The encoded first snapshot, see [`crate::codec`].
    pub snapshot: Vec<u8>,
    /// The name of the first state.
    pub state: String,
    /// The definition that wrote the snapshot.
    pub definition: DefinitionHash,
    /// Who steps it first; `None` leaves it to whoever claims it. Ignored, without an error, if
    /// this worker's lease is not valid.
    pub owner: Option<WorkerLease>,
    /// When it becomes due if nobody owns it; `None` is now.
    pub start_at: Option<Timestamp>,
    /// What lies in its inbox from the start.
    pub first: Option<FirstArrival>,
    /// Its attributes.
    pub attributes: AttributeMap,
    /// What lists show of it beside.
    pub memo: Memo,
    /// What is agreed on it, if anything is.
    pub terms: Option<Box<Terms>>,
}

/// What became of a run to be started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StartOutcome {
    /// It is there; `owned` tells whether the owner asked for was given it.
    Started {
        /// Whether [`NewRun::owner`] owns it.
        owned: bool,
    },
    /// A run with this run id was there already, from the same call made before.
    Repeated,
    /// An open run has the same workflow id.
    IdTaken {
        /// That run.
        run_id: RunId,
    },
    /// The last run that had the workflow id is over, and the policy asked for allows no other after it.
    IdUsed {
        /// That run.
        run_id: RunId,
    },
}

/// What has become of runs that a worker holds, of those where there is something to tell.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReviewedRuns {
    /// Those that it owns and in whose inboxes there is more than it has read.
    pub unread: Vec<RunId>,
    /// Those that it does not own: they were ended from outside or taken away.
    pub lost: Vec<RunId>,
}

/// Which due runs a worker wants.
#[derive(Clone, Copy, Debug)]
pub struct ClaimRequest<'a> {
    /// Who asks.
    pub worker: WorkerLease,
    /// The workflows it can step.
    pub workflows: &'a [&'a str],
    /// How many runs at most.
    pub limit: u32,
    /// How many arrivals to load with each run at most.
    pub inbox_limit: u32,
}

/// What a claim gave.
#[derive(Clone, Debug, Default)]
pub struct Claimed {
    /// The runs, now owned by the worker.
    pub runs: Vec<ClaimedRun>,
    /// When the next unowned run of these workflows falls due, as far as is known now.
    pub next_due_at: Option<Timestamp>,
    /// The database's clock at the claim.
    pub now: Timestamp,
}

/// A run as its new owner gets it.
#[derive(Clone, Debug)]
pub struct ClaimedRun {
    /// The run.
    pub run_id: RunId,
    /// Its business key.
    pub workflow_id: String,
    /// The workflow's stored name.
    pub workflow: String,
    /// Commits so far.
    pub step_no: StepNo,
    /// The encoded snapshot.
    pub snapshot: Vec<u8>,
    /// How often an owner died with this run since its last commit.
    pub takeovers: u32,
    /// The first of its unconsumed arrivals, or none if there are others to be given before them.
    pub inbox: Inbox,
    /// The number of the last arrival ever put into its inbox.
    pub inbox_count: i64,
    /// Whether there are [terms](super::Lifecycle::find_terms) of it.
    pub has_terms: bool,
}

/// One step of one run.
#[derive(Clone, Debug)]
pub struct CommitStep {
    /// The run.
    pub run_id: RunId,
    /// Its `step_no` before this commit.
    pub expected: StepNo,
    /// What becomes of the run.
    pub disposition: Disposition,
    /// The definition that wrote the snapshot of the disposition. `None` leaves the one that the run has.
    pub definition: Option<DefinitionHash>,
    /// How many of the states that commits of the run have left are [kept](crate::store::PastState), that of
    /// this step included; older ones are removed. `None` keeps nothing and removes nothing.
    pub keep_history: Option<u32>,
    /// The encoded snapshot that is left of a run which this step completes, for those who look at its exposed
    /// variables. `None` leaves none. It does not matter where the run goes on or comes to another end.
    pub last_snapshot: Option<Vec<u8>>,
    /// Arrivals that the step used up, by number.
    pub consumed: Vec<i64>,
    /// What the step does beside.
    pub effects: Vec<Effect>,
}

impl CommitStep {
    /// A step that has no consequences but for the run's own row.
    pub fn new(run_id: RunId, expected: StepNo, disposition: Disposition) -> Self {
        Self {
            run_id,
            expected,
            disposition,
            definition: None,
            keep_history: None,
            last_snapshot: None,
            consumed: Vec::new(),
            effects: Vec::new(),
        }
    }
}

/// What a commit makes of a run.
#[derive(Clone, Debug, PartialEq)]
pub enum Disposition {
    /// The owner keeps it in memory.
    Keep {
        /// The encoded snapshot.
        snapshot: Vec<u8>,
        /// The name of the state.
        state: Cow<'static, str>,
    },
    /// Nobody owns it any more.
    Park {
        /// The encoded snapshot.
        snapshot: Vec<u8>,
        /// The name of the state.
        state: Cow<'static, str>,
        /// When it falls due of itself.
        due_at: Option<Timestamp>,
        /// The highest arrival number that the owner has taken into account; a longer inbox makes
        /// the run due at once.
        inbox_read: i64,
    },
    /// The run is over; its inbox is emptied.
    Close {
        /// A closed status.
        status: RunStatus,
        /// The encoded return value, if it came to one.
        result: Option<Payload>,
        /// Why it did not complete, for people.
        failure: Option<String>,
        /// The run that follows it in its chain.
        successor: Option<Box<Successor>>,
    },
    /// Nobody owns it, and nobody may claim it until it is unblocked. The snapshot stays as it is,
    /// and so does the number of takeovers, which it does not account for.
    Block {
        /// Why.
        reason: BlockedReason,
    },
}

/// A run that follows another one in its chain, started by the commit that closes that.
///
/// It has the workflow id of the one before it, and, in its inbox, the signals and requests to cancel that the other
/// has not used up, in their order, with all dedup keys of that, and the attributes and the memo of that. Waits for the chain, and
/// the children of its runs, stay.
#[derive(Clone, Debug, PartialEq)]
pub struct Successor {
    /// The run. Nobody owns it, and [`NewRun::owner`] and [`NewRun::first`] do not matter.
    pub run: NewRun,
    /// Why it follows.
    pub link: Link,
}

impl Disposition {
    /// The run is over, and none follows.
    pub fn close(status: RunStatus, result: Option<Payload>, failure: Option<String>) -> Self {
        Self::Close { status, result, failure, successor: None }
    }

    /// The run that follows, if the run is over and one does.
    pub fn successor(&self) -> Option<&Successor> {
        match self {
            Self::Close { successor, .. } => successor.as_deref(),
            _ => None,
        }
    }

    /// Has the texts for people [short enough](recorded), so that they do not keep it from being written.
    pub(crate) fn recorded(self) -> Self {
        match self {
            Self::Close { status, result, failure, successor } => {
                Self::Close { status, result, failure: failure.map(recorded), successor }
            }
            Self::Block { reason } => Self::Block { reason: reason.recorded() },
            other => other,
        }
    }

    /// How it ends the run, if it does; made when called, since few want to know.
    pub fn ending(&self) -> Option<impl FnOnce() -> Ending> {
        let Self::Close { status, result, failure, .. } = self else { return None };
        let (status, result, failure) = (*status, result, failure);
        Some(move || Ending { status, result: result.clone(), failure: failure.clone() })
    }
}

/// What became of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommitOutcome {
    /// It is durable.
    Committed,
    /// The run is closed, owned by somebody else, or at another step; nothing was written for it.
    Lost,
}

/// A blocked run, with what tells whether a build may be able to go on with it. Its snapshot, which may be
/// long, is for who has not [looked](super::Visibility::find_snapshot) at it yet.
#[derive(Clone, Debug)]
pub struct BlockedRun {
    /// The run.
    pub run_id: RunId,
    /// The number of the commit that has blocked it.
    pub step_no: StepNo,
    /// The workflow's stored name.
    pub workflow: String,
    /// Why it is blocked.
    pub reason: BlockedReason,
}
