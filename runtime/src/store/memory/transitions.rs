//! The contract: each transition is a change of the state under its lock, with the hook around it.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;

use super::{MemoryStore, transaction};
use crate::error::StoreError;
use crate::model::{DefinitionHash, RunId, RunStatus, Timestamp, WorkerId};
use crate::store::weight::Answer;
use crate::store::{
    ActivityHeartbeat, ActivityKey, ActivityRecord, ActivityTransaction, ArrivalOutcome,
    BlockedRun, ClaimActivities, ClaimRequest, Claimed, ClaimedActivities, ClaimedRun,
    CommitOutcome, CommitStep, DefinitionRecord, ExpiredActivity, FinishActivity, FinishOutcome,
    FoundEnding, HeartbeatOutcome, Hub, Inbox, NewArrival, NewRun, NewWorker, Renewal,
    ReviewedActivities, ReviewedRuns, RunFilter, RunKey, RunRecord, StartOutcome, Store,
    WorkerLease,
};

#[async_trait]
impl Store for MemoryStore {
    fn hub(&self) -> &Arc<Hub> {
        &self.hub
    }

    fn new_run_id(&self) -> RunId {
        let mut state = self.lock();
        let Some((seed, number)) = &mut state.run_ids else { return RunId::new() };
        *number += 1;
        let millis = u64::try_from(self.clock().as_micros() / 1_000).unwrap_or_default();
        // The number comes last, so that ids of one millisecond sort as they were given.
        let bytes = ((u128::from(*seed) << 48) | u128::from(*number)).to_be_bytes();
        let bytes = bytes.last_chunk().copied().unwrap_or_default();
        RunId::from(uuid::Builder::from_unix_timestamp_millis(millis, &bytes).into_uuid())
    }

    async fn now(&self) -> Result<Timestamp, StoreError> {
        self.transition("now", |_, now, _| Ok(now)).await
    }

    async fn register_worker(&self, worker: NewWorker) -> Result<WorkerLease, StoreError> {
        let is_gone = Arc::clone(&self.lock_gone());
        self.request("register_worker", move |state, now, news| {
            Ok(state.register_worker(worker, is_gone, now, news))
        })
        .await
    }

    async fn renew_lease(
        &self,
        worker: WorkerLease,
        lease: Duration,
    ) -> Result<Renewal, StoreError> {
        self.request("renew_lease", move |state, now, news| {
            Ok(state.renew_lease(worker, lease, now, news))
        })
        .await
    }

    async fn release_worker(&self, worker: WorkerLease) -> Result<(), StoreError> {
        self.request("release_worker", move |state, now, news| {
            state.release_worker(worker, now, news);
            Ok(())
        })
        .await
    }

    async fn fence_expired_workers(&self) -> Result<(Vec<WorkerId>, u64), StoreError> {
        self.request("fence_expired_workers", move |state, now, news| {
            let expired = state.expired_workers(now);
            let runs = state.fence_workers(&expired, now, news);
            Ok((expired, runs))
        })
        .await
    }

    async fn find_dead_workers(&self) -> Result<Vec<WorkerId>, StoreError> {
        self.transition("find_dead_workers", |state, _, _| Ok(state.dead_workers())).await
    }

    async fn fence_workers(&self, workers: &[WorkerId]) -> Result<u64, StoreError> {
        let workers = workers.to_vec();
        self.request("fence_workers", move |state, now, news| {
            Ok(state.fence_workers(&workers, now, news))
        })
        .await
    }

    async fn list_workers(&self) -> Result<Vec<(WorkerLease, NewWorker)>, StoreError> {
        self.transition("list_workers", |state, _, _| Ok(state.list_workers())).await
    }

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

    async fn deliver(&self, arrivals: Vec<NewArrival>) -> Result<Vec<ArrivalOutcome>, StoreError> {
        self.request("deliver", move |state, now, news| {
            state.counts.transactions += 1;
            Ok(arrivals.into_iter().map(|arrival| state.deliver(arrival, now, news)).collect())
        })
        .await
    }

    async fn claim_activities(
        &self,
        request: ClaimActivities<'_>,
    ) -> Result<ClaimedActivities, StoreError> {
        let ClaimActivities { worker, queues, activities, limit } = request;
        let (queues, activities) = (counted(queues), counted(activities));
        self.request("claim_activities", move |state, now, news| {
            let (queues, activities) = (&borrowed(&queues)[..], &borrowed(&activities)[..]);
            let request = ClaimActivities { worker, queues, activities, limit };
            state.claim_activities(request, now, news)
        })
        .await
    }

    async fn review_activities(
        &self,
        worker: WorkerLease,
        held: &[(ActivityKey, u32)],
    ) -> Result<ReviewedActivities, StoreError> {
        self.transition("review_activities", |state, now, news| {
            state.review_activities(worker, held, now, news)
        })
        .await
    }

    async fn heartbeat_activities(
        &self,
        heartbeats: Vec<ActivityHeartbeat>,
    ) -> Result<Vec<HeartbeatOutcome>, StoreError> {
        self.request("heartbeat_activities", move |state, now, news| {
            state.counts.transactions += 1;
            let note = |beat| state.heartbeat_activity(beat, now, news);
            Ok(heartbeats.into_iter().map(note).collect())
        })
        .await
    }

    async fn finish_activities(
        &self,
        ends: Vec<FinishActivity>,
    ) -> Result<Vec<FinishOutcome>, StoreError> {
        self.request("finish_activities", move |state, now, news| {
            state.counts.transactions += 1;
            Ok(ends.into_iter().map(|end| state.finish_activity(end, now, news)).collect())
        })
        .await
    }

    async fn expired_activities(&self, limit: u32) -> Result<Vec<ExpiredActivity>, StoreError> {
        self.transition("expired_activities", |state, now, _| {
            Ok(state.expired_activities(limit, now))
        })
        .await
    }

    async fn begin_activity(&self) -> Result<Box<dyn ActivityTransaction>, StoreError> {
        let connection = self.this.upgrade().expect("somebody calls it");
        transaction::begin(connection).await
    }

    async fn settle_run(&self, _: RunId) -> Result<(), StoreError> {
        // Nothing goes on behind the back of whoever asked for it.
        self.transition("settle_run", |_, _, _| Ok(())).await
    }

    async fn find_activity(&self, key: ActivityKey) -> Result<Option<ActivityRecord>, StoreError> {
        self.transition("find_activity", |state, _, _| Ok(state.find_activity(key))).await
    }

    async fn read_inbox(&self, run_id: RunId, after: i64, limit: u32) -> Result<Inbox, StoreError> {
        self.transition("read_inbox", |state, _, _| {
            let run = state.runs.get(&run_id);
            let read = run.map(|row| row.read_inbox(after, limit, &mut Answer::default()));
            Ok(read.unwrap_or_default())
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

    async fn find_run(&self, key: &RunKey) -> Result<Option<RunRecord>, StoreError> {
        self.transition("find_run", |state, _, _| Ok(state.find_run(key))).await
    }

    async fn find_snapshot(&self, run_id: RunId) -> Result<Option<Vec<u8>>, StoreError> {
        self.transition("find_snapshot", |state, _, _| {
            Ok(state.runs.get(&run_id).map(|row| row.snapshot.clone()))
        })
        .await
    }

    async fn find_endings(&self, run_ids: &[RunId]) -> Result<Vec<FoundEnding>, StoreError> {
        self.transition("find_endings", |state, _, _| Ok(state.find_endings(run_ids))).await
    }

    async fn list_runs(
        &self,
        filter: &RunFilter,
        before: Option<RunId>,
        limit: u32,
    ) -> Result<Vec<RunRecord>, StoreError> {
        self.transition("list_runs", |state, _, _| Ok(state.list_runs(filter, before, limit))).await
    }

    async fn count_runs(&self, filter: &RunFilter) -> Result<Vec<(RunStatus, u64)>, StoreError> {
        self.transition("count_runs", |state, _, _| {
            let count = |status| {
                let runs = state.matching(filter).filter(|row| row.status == status).count();
                (status, runs as u64)
            };
            Ok(RunStatus::ALL.into_iter().map(count).filter(|(_, runs)| *runs > 0).collect())
        })
        .await
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

    async fn record_definitions(&self, definitions: &[DefinitionRecord]) -> Result<(), StoreError> {
        self.transition("record_definitions", |state, _, _| {
            for definition in definitions {
                let key = (definition.workflow.clone(), definition.hash.0);
                state.definitions.entry(key).or_insert_with(|| definition.clone());
            }
            Ok(())
        })
        .await
    }

    async fn find_definition(
        &self,
        workflow: &str,
        hash: DefinitionHash,
    ) -> Result<Option<DefinitionRecord>, StoreError> {
        self.transition("find_definition", |state, _, _| {
            Ok(state.definitions.get(&(workflow.to_owned(), hash.0)).cloned())
        })
        .await
    }

    async fn close(&self) {}
}

fn owned(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

fn counted(rooms: &[(&str, u32)]) -> Vec<(String, u32)> {
    rooms.iter().map(|(name, room)| ((*name).to_owned(), *room)).collect()
}

fn borrowed(rooms: &[(String, u32)]) -> Vec<(&str, u32)> {
    rooms.iter().map(|(name, room)| (name.as_str(), *room)).collect()
}
