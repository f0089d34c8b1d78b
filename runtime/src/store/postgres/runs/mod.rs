//! Runs: starts, claims, commits, ends, edits.

mod blocked;
mod change;
mod claim;
mod commit;
mod edit;
mod pause;
mod review;
pub(super) mod start;
pub(super) mod terminate;

use async_trait::async_trait;

pub(super) use self::start::{FIND_OPEN, is_conflict};
use crate::error::StoreError;
use crate::model::RunId;
use crate::store::postgres::PostgresStore;
use crate::store::{
    BlockedRun, ChangeOutcome, ChangeRun, ClaimRequest, Claimed, ClaimedRun, CommitOutcome,
    CommitStep, EditOutcome, EditRun, NewRun, ReviewedRuns, Runs, StartOutcome, Weight,
    WorkerLease,
};

#[async_trait]
impl Runs for PostgresStore {
    async fn start_runs(&self, runs: Vec<NewRun>) -> Result<Vec<StartOutcome>, StoreError> {
        let bytes = runs.iter().map(Weight::weight).sum();
        self.written("start_runs", bytes, start::start(self, runs)).await
    }

    async fn claim_runs(&self, request: ClaimRequest<'_>) -> Result<Claimed, StoreError> {
        self.answered("claim_runs", claim::claim(self, request)).await
    }

    async fn recover_claims(
        &self,
        worker: WorkerLease,
        held: &[RunId],
        inbox_limit: u32,
    ) -> Result<Vec<ClaimedRun>, StoreError> {
        self.answered("recover_claims", claim::recover(self, worker, held, inbox_limit)).await
    }

    async fn review_runs(
        &self,
        worker: WorkerLease,
        held: &[(RunId, i64)],
    ) -> Result<ReviewedRuns, StoreError> {
        self.answered("review_runs", review::review(self, worker, held)).await
    }

    async fn commit_steps(
        &self,
        worker: WorkerLease,
        steps: &[&CommitStep],
    ) -> Result<Vec<CommitOutcome>, StoreError> {
        self.answered("commit_steps", commit::commit(self, worker, steps)).await
    }

    fn commit_lanes(&self) -> usize {
        self.commit_lanes
    }

    async fn settle_run(&self, run_id: RunId) -> Result<(), StoreError> {
        self.answered("settle_run", terminate::settle(self, run_id)).await
    }

    async fn terminate_run(&self, run_id: RunId, reason: &str) -> Result<bool, StoreError> {
        let terminated = terminate::terminate(self, run_id, reason, None);
        Ok(self.asked("terminate_run", terminated).await?.is_some())
    }

    async fn unblock_runs(
        &self,
        workflows: &[&str],
        run_id: Option<RunId>,
    ) -> Result<u64, StoreError> {
        self.asked("unblock_runs", blocked::unblock(self, workflows, run_id)).await
    }

    async fn find_blocked(
        &self,
        workflows: &[&str],
        after: Option<RunId>,
        limit: u32,
    ) -> Result<Vec<BlockedRun>, StoreError> {
        self.answered("find_blocked", blocked::find(self, workflows, after, limit)).await
    }

    async fn adopt_blocked(
        &self,
        worker: WorkerLease,
        run_ids: &[RunId],
        inbox_limit: u32,
    ) -> Result<Vec<ClaimedRun>, StoreError> {
        self.answered("adopt_blocked", blocked::adopt(self, worker, run_ids, inbox_limit)).await
    }

    async fn edit_run(&self, edit: EditRun) -> Result<EditOutcome, StoreError> {
        let bytes = edit.snapshot.len();
        self.written("edit_run", bytes, edit::edit(self, edit)).await
    }

    async fn change_run(&self, change: ChangeRun) -> Result<ChangeOutcome, StoreError> {
        self.asked("change_run", change::change(self, change)).await
    }
}
