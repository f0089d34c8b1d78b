//! A store, a client and workers for one test.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use piton::error::StoreError;
use piton::model::RunStatus;
use piton::prelude::*;
use piton::store::{MemoryStore, RunRecord};

use crate::activities::Lab;

/// The error of a broken connection.
pub fn cut_off(operation: &'static str) -> StoreError {
    let source = io::Error::from(io::ErrorKind::ConnectionReset).into();
    StoreError::Database { operation, retryable: true, source }
}

pub struct Rig {
    pub store: Arc<MemoryStore>,
    pub client: Client,
    pub lab: Lab,
}

impl Rig {
    pub fn new() -> Self {
        let store = MemoryStore::new();
        let client = Client::new(store.clone());
        Self { store, client, lab: Lab::default() }
    }

    /// A worker with the test's lab.
    pub fn worker(&self) -> Worker {
        self.worker_of(&self.client)
    }

    /// A worker with the long poll interval of a paused clock, for tests that last days.
    pub fn patient_worker(&self) -> Worker {
        Worker::new(&self.client).provide(self.lab.clone())
    }

    /// A worker as in another process: it shares only the rows.
    pub fn remote_worker(&self) -> Worker {
        self.worker_of(&Client::new(self.store.connect()))
    }

    /// A worker of this client.
    pub fn worker_of(&self, client: &Client) -> Worker {
        // The intervals of production instead of those of a paused clock.
        let (lease, poll) = (Duration::from_secs(15), Duration::from_secs(2));
        Worker::new(client).lease(lease).poll_interval(poll).provide(self.lab.clone())
    }

    /// Makes the run's state unreadable. Returns the original.
    pub fn spoil<W: piton::machine::Workflow>(&self, run: &RunHandle<W>) -> Vec<u8> {
        let whole = self.store.snapshot(run.run_id()).unwrap();
        self.store.overwrite_snapshot(run.run_id(), vec![0xff; 20]);
        whole
    }

    /// Waits on virtual time until the run's record meets the condition.
    pub async fn until<W: piton::machine::Workflow>(
        &self,
        run: &RunHandle<W>,
        mut is_wanted: impl FnMut(&RunRecord) -> bool,
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

    pub async fn until_parked<W: piton::machine::Workflow>(&self, run: &RunHandle<W>) -> RunRecord {
        self.until(run, |record| {
            record.status == RunStatus::Running && record.owner.is_none() && record.step_no.0 > 0
        })
        .await
    }

    pub async fn until_blocked<W: piton::machine::Workflow>(
        &self,
        run: &RunHandle<W>,
    ) -> RunRecord {
        self.until(run, |record| record.status == RunStatus::Blocked).await
    }

    /// Waits on virtual time until just these attempts with the argument have begun.
    pub async fn until_begun(&self, argument: &str, attempts: &[u32]) {
        self.until_true(|| self.lab.begun(argument) == attempts).await;
    }

    /// Waits on virtual time until the condition holds.
    pub async fn until_true(&self, mut is_wanted: impl FnMut() -> bool) {
        for _ in 0..100_000 {
            if is_wanted() {
                return;
            }
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        panic!("the condition never became true");
    }
}
