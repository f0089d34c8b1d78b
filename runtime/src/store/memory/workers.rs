//! The workers of the in-memory store: leases, epochs, and checks of both.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use async_trait::async_trait;

use super::state::{News, State};
use super::{Guard, MemoryStore, Write};
use crate::error::StoreError;
use crate::model::{Epoch, Timestamp, WorkerId};
use crate::store::{NewWorker, Renewal, WorkerLease, Workers};

#[async_trait]
impl Workers for MemoryStore {
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
}

/// A worker and its lease.
pub(super) struct WorkerRow {
    epoch: Epoch,
    worker: NewWorker,
    /// `None` once fenced.
    lease_until: Option<Timestamp>,
    /// Whether its connection is known to have ended.
    is_gone: Arc<AtomicBool>,
}

impl State {
    pub(super) fn register_worker(
        &mut self,
        worker: NewWorker,
        is_gone: Arc<AtomicBool>,
        now: Timestamp,
        news: &mut News<'_>,
    ) -> WorkerLease {
        self.workers_ever += 1;
        let lease = WorkerLease { worker_id: WorkerId(self.workers_ever), epoch: Epoch(1) };
        let until = now + worker.lease;
        let row = WorkerRow { epoch: lease.epoch, worker, lease_until: Some(until), is_gone };
        self.workers.insert(lease.worker_id, row);
        news.wrote(Write::Leased { worker: lease, until });
        lease
    }

    pub(super) fn renew_lease(
        &mut self,
        worker: WorkerLease,
        lease: Duration,
        now: Timestamp,
        news: &mut News<'_>,
    ) -> Renewal {
        if !self.is_valid(worker, now) {
            return Renewal::Fenced;
        }
        if let Some(row) = self.workers.get_mut(&worker.worker_id) {
            row.lease_until = Some(now + lease);
            news.wrote(Write::Leased { worker, until: now + lease });
        }
        Renewal::Renewed(now + lease)
    }

    pub(super) fn release_worker(
        &mut self,
        worker: WorkerLease,
        now: Timestamp,
        news: &mut News<'_>,
    ) {
        if self.workers.get(&worker.worker_id).is_some_and(|row| row.epoch == worker.epoch) {
            self.workers.remove(&worker.worker_id);
            news.wrote(Write::Released { worker });
            for row in self.runs.values_mut().filter(|row| row.owner == Some(worker)) {
                row.let_go(Some(now), news);
            }
            self.interrupt(worker, now, news);
        }
    }

    pub(super) fn expired_workers(&self, now: Timestamp) -> Vec<WorkerId> {
        let expired = |row: &WorkerRow| row.lease_until.is_some_and(|until| until <= now);
        self.workers.iter().filter(|(_, row)| expired(row)).map(|(id, _)| *id).collect()
    }

    pub(super) fn dead_workers(&self) -> Vec<WorkerId> {
        let is_dead =
            |row: &WorkerRow| row.lease_until.is_some() && row.is_gone.load(Ordering::Relaxed);
        self.workers.iter().filter(|(_, row)| is_dead(row)).map(|(id, _)| *id).collect()
    }

    pub(super) fn fence_workers(
        &mut self,
        workers: &[WorkerId],
        now: Timestamp,
        news: &mut News<'_>,
    ) -> u64 {
        let mut let_go = 0;
        for worker_id in workers {
            let Some(worker) = self.workers.get_mut(worker_id) else { continue };
            let fenced = WorkerLease { worker_id: *worker_id, epoch: worker.epoch };
            worker.epoch = Epoch(worker.epoch.0 + 1);
            worker.lease_until = None;
            news.wrote(Write::Fenced { worker: fenced });
            let keeps = self.lacks(Guard::TakeOver);
            for row in self.runs.values_mut().filter(|row| row.owner == Some(fenced) && !keeps) {
                row.takeovers += 1;
                row.let_go(Some(now), news);
                let_go += 1;
            }
            self.interrupt(fenced, now, news);
        }
        let_go
    }

    pub(super) fn list_workers(&self) -> Vec<(WorkerLease, NewWorker)> {
        let listed = |(id, row): (&WorkerId, &WorkerRow)| {
            (WorkerLease { worker_id: *id, epoch: row.epoch }, row.worker.clone())
        };
        self.workers.iter().filter(|(_, row)| row.lease_until.is_some()).map(listed).collect()
    }

    pub(super) fn is_valid(&self, worker: WorkerLease, now: Timestamp) -> bool {
        let is_valid = self.workers.get(&worker.worker_id).is_some_and(|row| {
            row.epoch == worker.epoch && row.lease_until.is_some_and(|until| until > now)
        });
        self.guard(Guard::Lease, is_valid)
    }

    pub(super) fn check(&self, worker: WorkerLease, now: Timestamp) -> Result<(), StoreError> {
        if self.is_valid(worker, now) { Ok(()) } else { Err(StoreError::Fenced) }
    }
}
