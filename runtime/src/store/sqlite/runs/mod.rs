//! Runs: starts, claims, commits, ends, edits.

mod blocked;
mod change;
mod claim;
mod commit;
mod edit;
mod pause;
mod review;
pub(super) mod start;
mod terminate;

use async_trait::async_trait;

use crate::error::StoreError;
use crate::model::RunId;
use crate::store::sqlite::SqliteStore;
use crate::store::{
    BlockedRun, ChangeOutcome, ChangeRun, ClaimRequest, Claimed, ClaimedRun, CommitOutcome,
    CommitStep, EditOutcome, EditRun, NewRun, ReviewedRuns, Runs, StartOutcome, WorkerLease,
};

#[async_trait]
impl Runs for SqliteStore {
    async fn start_runs(&self, runs: Vec<NewRun>) -> Result<Vec<StartOutcome>, StoreError> {
        start::start(self, runs).await
    }

    async fn claim_runs(&self, request: ClaimRequest<'_>) -> Result<Claimed, StoreError> {
        claim::claim(self, request).await
    }

    async fn recover_claims(
        &self,
        worker: WorkerLease,
        held: &[RunId],
        inbox_limit: u32,
    ) -> Result<Vec<ClaimedRun>, StoreError> {
        claim::recover(self, worker, held, inbox_limit).await
    }

    async fn review_runs(
        &self,
        worker: WorkerLease,
        held: &[(RunId, i64)],
    ) -> Result<ReviewedRuns, StoreError> {
        review::review(self, worker, held).await
    }

    async fn commit_steps(
        &self,
        worker: WorkerLease,
        steps: &[&CommitStep],
    ) -> Result<Vec<CommitOutcome>, StoreError> {
        commit::commit(self, worker, steps).await
    }

    async fn terminate_run(&self, run_id: RunId, reason: &str) -> Result<bool, StoreError> {
        Ok(terminate::terminate(self, run_id, reason, None).await?.is_some())
    }

    async fn unblock_runs(
        &self,
        workflows: &[&str],
        run_id: Option<RunId>,
    ) -> Result<u64, StoreError> {
        blocked::unblock(self, workflows, run_id).await
    }

    async fn find_blocked(
        &self,
        workflows: &[&str],
        after: Option<RunId>,
        limit: u32,
    ) -> Result<Vec<BlockedRun>, StoreError> {
        blocked::find(self, workflows, after, limit).await
    }

    async fn adopt_blocked(
        &self,
        worker: WorkerLease,
        run_ids: &[RunId],
        inbox_limit: u32,
    ) -> Result<Vec<ClaimedRun>, StoreError> {
        blocked::adopt(self, worker, run_ids, inbox_limit).await
    }

    async fn edit_run(&self, edit: EditRun) -> Result<EditOutcome, StoreError> {
        edit::edit(self, edit).await
    }

    async fn change_run(&self, change: ChangeRun) -> Result<ChangeOutcome, StoreError> {
        change::change(self, change).await
    }
}
