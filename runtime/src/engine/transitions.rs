//! The batched store methods: commits of a worker, arrivals, starts, completions of promises, and queries for
//! results.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use super::backoff::CLIENT_PATIENCE;
use super::batch::Transition;
use super::outgoing::Outgoing;
use super::session::{Adoption, Session};
use crate::error::StoreError;
use crate::failpoints;
use crate::model::{RunId, RunStatus};
use crate::store::{
    ArrivalKind, ArrivalOutcome, CommitOutcome, CommitStep, CompletePromise, CompletionOutcome,
    FoundEnding, NewArrival, NewRun, RunKey, StartOutcome, Store, Weight, WorkerLease,
};

/// Steps of the runs of one worker.
pub(crate) struct Commits {
    /// The store.
    pub(crate) store: Arc<dyn Store>,
    /// The worker's lease.
    pub(crate) lease: WorkerLease,
    /// Called when the worker turns out to be fenced.
    pub(crate) on_fenced: Box<dyn Fn() + Send + Sync>,
    /// Notified of steps that send messages.
    pub(crate) outgoing: Arc<Outgoing>,
}

impl Transition for Commits {
    /// Boxed, because it is moved five times on its way to the database and back.
    type Item = Box<CommitStep>;
    type Outcome = CommitOutcome;
    const OPERATION: &'static str = "commit_steps";

    async fn apply(&self, steps: &[Self::Item]) -> Result<Vec<CommitOutcome>, StoreError> {
        failpoints::hit("before_commit");
        let steps: Vec<&CommitStep> = steps.iter().map(|step| &**step).collect();
        let committed = self.store.commit_steps(self.lease, &steps).await;
        failpoints::hit("after_commit");
        match &committed {
            // Including lost ones: an earlier try may have committed them.
            Ok(_) => self.outgoing.note(&steps),
            Err(StoreError::Fenced) => (self.on_fenced)(),
            Err(_) => {}
        }
        committed
    }

    fn is_repeatable(&self, _: &Self::Item) -> bool {
        true
    }

    /// Until the worker's lease ends.
    fn patience(&self) -> Option<Duration> {
        None
    }

    /// If a step finds its run one step further and still owned by this worker, an earlier try whose response was
    /// lost has committed it: no other worker could have made that step. If the run has no owner, the driver lets
    /// go of it in either case.
    async fn settle(
        &self,
        step: &Self::Item,
        outcome: CommitOutcome,
        retried: bool,
    ) -> Result<CommitOutcome, StoreError> {
        if !retried || outcome == CommitOutcome::Committed {
            return Ok(outcome);
        }
        let run = self.store.find_run(&RunKey::RunId(step.run_id)).await?;
        let was_committed = run.is_some_and(|run| {
            run.owner == Some(self.lease.worker_id) && run.step_no == step.expected.next()
        });
        Ok(if was_committed { CommitOutcome::Committed } else { CommitOutcome::Lost })
    }
}

/// Arrivals from clients and from drivers.
pub(crate) struct Deliveries {
    /// The store.
    pub(crate) store: Arc<dyn Store>,
}

impl Transition for Deliveries {
    type Item = NewArrival;
    type Outcome = ArrivalOutcome;
    const OPERATION: &'static str = "deliver";

    async fn apply(&self, arrivals: &[NewArrival]) -> Result<Vec<ArrivalOutcome>, StoreError> {
        failpoints::hit("before_deliver");
        let delivered = self.store.deliver(arrivals.to_vec()).await;
        failpoints::hit("after_deliver");
        delivered
    }

    /// A repetition is detected by the dedup key or, if an owner delivers an outcome, by its handle. A second
    /// heartbeat has the effect of the first.
    fn is_repeatable(&self, arrival: &NewArrival) -> bool {
        let is_sign_of_life = matches!(arrival.kind, ArrivalKind::Heartbeat { .. });
        is_sign_of_life || arrival.dedup_key.is_some() || arrival.owner.is_some()
    }

    fn patience(&self) -> Option<Duration> {
        Some(CLIENT_PATIENCE)
    }
}

/// Completions of promises from clients.
pub(crate) struct Completions {
    /// The store.
    pub(crate) store: Arc<dyn Store>,
}

impl Transition for Completions {
    type Item = CompletePromise;
    type Outcome = CompletionOutcome;
    const OPERATION: &'static str = "complete_promises";

    async fn apply(
        &self,
        completions: &[CompletePromise],
    ) -> Result<Vec<CompletionOutcome>, StoreError> {
        failpoints::hit("before_complete_promises");
        let completed = self.store.complete_promises(completions.to_vec()).await;
        failpoints::hit("after_complete_promises");
        completed
    }

    /// A repetition is detected by the id of the completion.
    fn is_repeatable(&self, _: &CompletePromise) -> bool {
        true
    }

    fn patience(&self) -> Option<Duration> {
        Some(CLIENT_PATIENCE)
    }
}

/// A run to start, and its owner if that is a session of this process.
#[derive(Clone)]
pub(crate) struct Start {
    /// The run.
    pub(crate) run: NewRun,
    /// What its owner needs. Taken by the code that notifies the owner.
    pub(crate) adoption: Option<Arc<Mutex<Option<Adoption>>>>,
}

/// Starts of runs.
pub(crate) struct Starts {
    /// The store.
    pub(crate) store: Arc<dyn Store>,
}

impl Transition for Starts {
    type Item = Start;
    type Outcome = StartOutcome;
    const OPERATION: &'static str = "start_runs";

    async fn apply(&self, starts: &[Start]) -> Result<Vec<StartOutcome>, StoreError> {
        let owners: Vec<_> = starts.iter().filter_map(|start| start.owner()).collect();
        let runs = starts.iter().map(|start| start.run.clone()).collect();
        let started = self.store.start_runs(runs).await;
        failpoints::hit("after_start");
        if started.is_err() {
            // A run that was started after all has an owner that does not know it.
            owners.iter().for_each(|owner| owner.strays.note());
        }
        started
    }

    /// A repetition is detected by the run id.
    fn is_repeatable(&self, _: &Start) -> bool {
        true
    }

    fn patience(&self) -> Option<Duration> {
        Some(CLIENT_PATIENCE)
    }

    /// Gives an owned run to its owner. Done here because the caller's future may be dropped at any time.
    async fn settle(
        &self,
        start: &Start,
        outcome: StartOutcome,
        _: bool,
    ) -> Result<StartOutcome, StoreError> {
        let adoption = start
            .adoption
            .as_ref()
            .and_then(|adoption| adoption.lock().unwrap_or_else(PoisonError::into_inner).take());
        let Some(adoption) = adoption else { return Ok(outcome) };
        let owned = match outcome {
            StartOutcome::Started { owned } => owned,
            StartOutcome::Repeated => {
                let run = self.store.find_run(&RunKey::RunId(start.run.run_id)).await?;
                run.is_some_and(|run| {
                    run.status == RunStatus::Running
                        && run.step_no.0 == 0
                        && run.owner == Some(adoption.session.lease().worker_id)
                })
            }
            StartOutcome::IdTaken { .. } | StartOutcome::IdUsed { .. } => false,
        };
        if owned {
            adoption.adopt();
        }
        Ok(outcome)
    }
}

impl Weight for Start {
    fn weight(&self) -> usize {
        self.run.weight()
    }

    fn largest(&self) -> usize {
        self.run.largest()
    }
}

impl Start {
    fn owner(&self) -> Option<Arc<Session>> {
        let adoption = self.adoption.as_ref()?.lock().unwrap_or_else(PoisonError::into_inner);
        Some(Arc::clone(&adoption.as_ref()?.session))
    }
}

/// Queries for the endings of runs.
pub(crate) struct Endings {
    /// The store.
    pub(crate) store: Arc<dyn Store>,
}

impl Transition for Endings {
    type Item = RunId;
    type Outcome = FoundEnding;
    const OPERATION: &'static str = "find_endings";

    async fn apply(&self, run_ids: &[RunId]) -> Result<Vec<FoundEnding>, StoreError> {
        let mut found = Vec::with_capacity(run_ids.len());
        while let Some(rest) = run_ids.get(found.len()..).filter(|rest| !rest.is_empty()) {
            let page = self.store.find_endings(rest).await?;
            if page.is_empty() {
                // A repetition has no effect.
                let reason =
                    "`find_endings` has found nothing of the first run asked for".to_owned();
                return Err(StoreError::Corrupt { what: "answer", reason });
            }
            found.extend(page);
        }
        Ok(found)
    }

    fn is_repeatable(&self, _: &RunId) -> bool {
        true
    }

    /// As long as a caller waits for the result.
    fn patience(&self) -> Option<Duration> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{DefinitionHash, Payload, StepNo};
    use crate::store::{Disposition, MemoryStore, NewWorker};

    #[tokio::test]
    async fn a_step_whose_answer_was_lost_is_told_by_its_number() {
        let store: Arc<dyn Store> = MemoryStore::new();
        let worker = NewWorker { host: "here".into(), pid: 1, lease: Duration::from_secs(10) };
        let lease = store.register_worker(worker).await.expect("a worker can register");
        let run = NewRun {
            run_id: RunId::new(),
            workflow_id: "order".into(),
            workflow: "order".into(),
            arguments: Payload(vec![]),
            snapshot: vec![],
            state: "Start".into(),
            definition: DefinitionHash(1),
            owner: Some(lease),
            start_at: None,
            first: None,
            attributes: Default::default(),
            memo: Default::default(),
            terms: None,
        };
        let step = |expected| {
            let kept = Disposition::Keep { snapshot: vec![], state: "Paid".into() };
            Box::new(CommitStep::new(run.run_id, StepNo(expected), kept))
        };
        store.start_runs(vec![run.clone()]).await.expect("a run can be started");
        let outgoing = Arc::default();
        let commits = Commits { store, lease, on_fenced: Box::new(|| ()), outgoing };
        let committed = commits.apply(&[step(0)]).await.expect("a step can be committed");
        assert_eq!(committed, [CommitOutcome::Committed]);

        let again = commits.apply(&[step(0)]).await.expect("it can be tried again");
        assert_eq!(again, [CommitOutcome::Lost]);
        for (expected, retried, outcome) in [
            (0, true, CommitOutcome::Committed),
            // This was the first try, so another worker has made the step.
            (0, false, CommitOutcome::Lost),
            // The run is not where this step would have moved it.
            (1, true, CommitOutcome::Lost),
            (5, true, CommitOutcome::Lost),
        ] {
            let settled = commits.settle(&step(expected), CommitOutcome::Lost, retried).await;
            assert_eq!(settled.expect("the run can be found"), outcome, "after {expected}");
        }
    }
}
