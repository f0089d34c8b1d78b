//! Several builds of a program in one test.

use std::time::Duration;

use piton::activities::ActivityEntry;
use piton::lock::Lock;
use piton::machine::{Workflow, WorkflowEntry};
use piton::model::RunStatus;
use piton::prelude::*;
use piton::store::{MemoryStore, RunRecord};
use piton::worker::RunningWorker;
use serde::{Deserialize, Serialize};

#[derive(Signal, Serialize, Deserialize)]
pub struct Go(pub u64);

#[activity]
pub async fn charge(cents: u64) -> u64 {
    cents
}

/// A database, and workers of one build after the other.
pub struct Shop {
    pub client: Client,
}

impl Shop {
    pub fn new() -> Self {
        Self { client: Client::new(MemoryStore::new()) }
    }

    /// A worker with these workflows and the activity above.
    pub async fn worker(&self, workflows: &[&'static WorkflowEntry]) -> RunningWorker {
        let activities = ActivityEntry::all().filter(|entry| entry.place.0 == file!()).collect();
        Worker::new(&self.client).serving(workflows.to_vec(), activities).start().await.unwrap()
    }

    /// Runs a worker with these workflows until the run is in a state, and shuts it down.
    pub async fn park<W: Workflow>(
        &self,
        run: &RunHandle<W>,
        workflows: &[&'static WorkflowEntry],
        state: &str,
    ) {
        let worker = self.worker(workflows).await;
        self.until(run, |record| record.state == state && record.step_no.0 > 0).await;
        worker.shutdown().await.unwrap();
    }

    pub async fn until_blocked<W: Workflow>(&self, run: &RunHandle<W>) -> String {
        let record = self.until(run, |record| record.status == RunStatus::Blocked).await;
        record.blocked.expect("it is blocked").to_string()
    }

    /// Waits until the run has ended, and panics if it is blocked: its result would never come.
    pub async fn until_closed<W: Workflow>(&self, run: &RunHandle<W>) {
        let record = self
            .until(run, |record| record.closed_at.is_some() || record.status == RunStatus::Blocked)
            .await;
        assert_eq!(record.blocked, None);
    }

    /// Waits on virtual time until the run's record meets the condition.
    pub async fn until<W: Workflow>(
        &self,
        run: &RunHandle<W>,
        is_wanted: impl Fn(&RunRecord) -> bool,
    ) -> RunRecord {
        for _ in 0..100_000 {
            let record = run.status().await.unwrap();
            if is_wanted(&record) {
                return record;
            }
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        panic!("the run never got there: {:?}", run.status().await);
    }
}

/// The text of a lock file in which these workflows were released.
pub fn released(workflows: &[&'static WorkflowEntry]) -> String {
    let mut lock = Lock::default();
    assert!(lock.record(workflows.iter().copied()) > 0);
    lock.to_string()
}
