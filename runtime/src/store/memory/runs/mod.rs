//! The runs of the in-memory store.

mod blocked;
mod pause;
mod transitions;

use async_trait::async_trait;

use crate::error::StoreError;
use crate::model::RunId;
use crate::store::memory::MemoryStore;
use crate::store::{
    BlockedRun, ChangeOutcome, ChangeRun, ClaimRequest, Claimed, ClaimedRun, CommitOutcome,
    CommitStep, EditOutcome, EditRun, NewRun, ReviewedRuns, Runs, StartOutcome, WorkerLease,
};

#[async_trait]
impl Runs for MemoryStore {
    async fn start_runs(&self, runs: Vec<NewRun>) -> Result<Vec<StartOutcome>, StoreError> {
        self.request("start_runs", move |state, now, news| {
            Ok(runs.into_iter().map(|run| state.start_run(run, now, news)).collect())
        })
        .await
    }

    async fn claim_runs(&self, request: ClaimRequest<'_>) -> Result<Claimed, StoreError> {
        let ClaimRequest { worker, limit, inbox_limit, .. } = request;
        let workflows = owned(request.workflows);
        self.request("claim_runs", move |state, now, news| {
            let workflows: Vec<_> = workflows.iter().map(String::as_str).collect();
            let workflows = &workflows[..];
            let request = ClaimRequest { worker, workflows, limit, inbox_limit };
            state.claim_runs(request, now, news)
        })
        .await
    }

    async fn recover_claims(
        &self,
        worker: WorkerLease,
        held: &[RunId],
        inbox_limit: u32,
    ) -> Result<Vec<ClaimedRun>, StoreError> {
        self.transition("recover_claims", |state, now, news| {
            state.recover_claims(worker, held, inbox_limit, now, news)
        })
        .await
    }

    async fn review_runs(
        &self,
        worker: WorkerLease,
        held: &[(RunId, i64)],
    ) -> Result<ReviewedRuns, StoreError> {
        self.transition("review_runs", |state, _, news| Ok(state.review_runs(worker, held, news)))
            .await
    }

    async fn commit_steps(
        &self,
        worker: WorkerLease,
        steps: &[&CommitStep],
    ) -> Result<Vec<CommitOutcome>, StoreError> {
        let steps = steps.iter().copied().cloned().collect();
        self.request("commit_steps", move |state, now, news| {
            state.commit_steps(worker, steps, now, news)
        })
        .await
    }

    async fn settle_run(&self, _: RunId) -> Result<(), StoreError> {
        // Calls are synchronous, so no transaction can be in progress.
        self.transition("settle_run", |_, _, _| Ok(())).await
    }

    async fn terminate_run(&self, run_id: RunId, reason: &str) -> Result<bool, StoreError> {
        let reason = reason.to_owned();
        self.request("terminate_run", move |state, now, news| {
            Ok(state.terminate_run(run_id, &reason, now, news))
        })
        .await
    }

    async fn unblock_runs(
        &self,
        workflows: &[&str],
        run_id: Option<RunId>,
    ) -> Result<u64, StoreError> {
        self.transition("unblock_runs", |state, now, news| {
            Ok(state.unblock_runs(workflows, run_id, now, news))
        })
        .await
    }

    async fn find_blocked(
        &self,
        workflows: &[&str],
        after: Option<RunId>,
        limit: u32,
    ) -> Result<Vec<BlockedRun>, StoreError> {
        self.transition("find_blocked", |state, _, _| {
            Ok(state.find_blocked(workflows, after, limit as usize))
        })
        .await
    }

    async fn adopt_blocked(
        &self,
        worker: WorkerLease,
        run_ids: &[RunId],
        inbox_limit: u32,
    ) -> Result<Vec<ClaimedRun>, StoreError> {
        let run_ids = run_ids.to_vec();
        self.request("adopt_blocked", move |state, now, news| {
            state.adopt_blocked(worker, &run_ids, inbox_limit, now, news)
        })
        .await
    }

    async fn edit_run(&self, edit: EditRun) -> Result<EditOutcome, StoreError> {
        self.request("edit_run", move |state, now, news| Ok(state.edit_run(edit, now, news))).await
    }

    async fn change_run(&self, change: ChangeRun) -> Result<ChangeOutcome, StoreError> {
        self.request("change_run", move |state, now, news| Ok(state.change_run(change, now, news)))
            .await
    }
}

fn owned(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}
