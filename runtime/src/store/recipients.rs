//! Decides the outcome of each arrival of a batch, for all SQL stores.
//!
//! The store has locked the runs and has read their columns; this module does no I/O.

use std::collections::HashMap;

use sqlx::FromRow;
use uuid::Uuid;

use super::rows::read_status;
use super::{ActivityEnd, ArrivalOutcome, FinishActivity, NewArrival, Reporter, WorkerLease};
use crate::error::StoreError;
use crate::model::{Epoch, RunId, RunStatus, WorkerId};

/// The columns of a receiving run.
#[derive(FromRow)]
pub(super) struct RecipientRow {
    run_id: Uuid,
    status: String,
    worker_id: Option<i64>,
    epoch: Option<i64>,
    inbox_count: i64,
    step_no: i64,
}

/// A dedup key that is already stored.
#[derive(FromRow)]
pub(super) struct KeyRow {
    run_id: Uuid,
    dedup_key: String,
    name: Option<String>,
}

struct Recipient {
    status: RunStatus,
    owner: Option<WorkerLease>,
    inbox_count: i64,
    has_begun: bool,
    grown: bool,
    /// Whether one of the new arrivals makes the run due.
    wakes: bool,
}

/// The state before a batch is delivered, and the writes of the batch.
#[derive(Default)]
pub(super) struct Recipients {
    runs: HashMap<RunId, Recipient>,
    /// The known dedup keys, with the names of their arrivals.
    keys: HashMap<(RunId, String), Option<String>>,
    valid: Vec<WorkerLease>,
}

/// Runs with the numbers of their last arrivals.
pub(super) type Counts = Vec<(RunId, i64)>;

impl Recipients {
    /// `valid` are the workers named as owners whose leases are valid.
    pub(super) fn new(
        runs: Vec<RecipientRow>,
        keys: Vec<KeyRow>,
        valid: Vec<WorkerLease>,
    ) -> Result<Self, StoreError> {
        let mut recipients = HashMap::with_capacity(runs.len());
        for row in runs {
            let owner = row
                .worker_id
                .zip(row.epoch)
                .map(|(id, epoch)| WorkerLease { worker_id: WorkerId(id), epoch: Epoch(epoch) });
            let status = read_status(&row.status)?;
            let (inbox_count, has_begun) = (row.inbox_count, row.step_no > 0);
            let (grown, wakes) = (false, false);
            let run = Recipient { status, owner, inbox_count, has_begun, grown, wakes };
            recipients.insert(row.run_id.into(), run);
        }
        let keys = keys.into_iter().map(|row| ((row.run_id.into(), row.dedup_key), row.name));
        let keys = keys.collect();
        Ok(Self { runs: recipients, keys, valid })
    }

    /// Decides the outcome of one arrival, and records its write.
    pub(super) fn accept(&mut self, arrival: &NewArrival) -> ArrivalOutcome {
        let Some(run) = self.runs.get_mut(&arrival.run_id) else {
            return ArrivalOutcome::Unknown;
        };
        let key = arrival.dedup_key.as_ref().map(|key| (arrival.run_id, key.clone()));
        if let Some(by) = key.as_ref().and_then(|key| self.keys.get(key)) {
            return ArrivalOutcome::repeated(&arrival.kind, by.as_deref());
        }
        if !run.status.is_open() {
            return ArrivalOutcome::Closed;
        }
        if let Some(owner) = arrival.owner
            && (run.owner != Some(owner) || !self.valid.contains(&owner))
        {
            return ArrivalOutcome::NotOwner;
        }
        self.keys.extend(key.map(|key| (key, arrival.kind.name().map(str::to_owned))));
        run.inbox_count += 1;
        run.grown = true;
        run.wakes |= arrival.kind.wakes(run.has_begun);
        ArrivalOutcome::Accepted { seq: run.inbox_count }
    }

    /// Adds the state of other runs.
    #[cfg(feature = "sqlite")]
    pub(super) fn add(&mut self, more: Self) {
        self.runs.extend(more.runs);
    }

    /// Whether the run exists and is open.
    pub(super) fn is_open(&self, run_id: RunId) -> bool {
        self.runs.get(&run_id).is_some_and(|run| run.status.is_open())
    }

    /// Whether the run was looked up and exists.
    pub(super) fn has(&self, run_id: RunId) -> bool {
        self.runs.contains_key(&run_id)
    }

    /// Whether an arrival of the run had this key.
    pub(super) fn has_key(&self, run_id: RunId, key: &str) -> bool {
        self.keys.contains_key(&(run_id, key.to_owned()))
    }

    /// Records a key without an arrival.
    pub(super) fn add_key(&mut self, run_id: RunId, key: String) {
        self.keys.insert((run_id, key), None);
    }

    /// Whether the worker's lease is valid.
    pub(super) fn is_valid(&self, worker: WorkerLease) -> bool {
        self.valid.contains(&worker)
    }

    /// The owner of a run.
    #[cfg(feature = "postgres")]
    pub(super) fn owner(&self, run_id: RunId) -> Option<WorkerId> {
        self.runs.get(&run_id)?.owner.map(|owner| owner.worker_id)
    }

    /// The runs with new arrivals: those that become due, then the others.
    pub(super) fn grown(&self) -> (Counts, Counts) {
        let (mut woken, mut told) = (Vec::new(), Vec::new());
        for (run_id, run) in self.runs.iter().filter(|(_, run)| run.grown) {
            let sleeps = run.wakes && run.owner.is_none() && run.status == RunStatus::Running;
            if sleeps { &mut woken } else { &mut told }.push((*run_id, run.inbox_count));
        }
        (woken, told)
    }
}

/// The rows to read before a batch is decided.
#[derive(Default)]
pub(super) struct Question {
    /// The workers named as owners, each once.
    pub(super) owners: Vec<WorkerLease>,
    /// The receiving runs, possibly repeated.
    pub(super) run_ids: Vec<RunId>,
    /// The dedup keys.
    pub(super) keys: Vec<(RunId, String)>,
}

impl Question {
    /// The rows needed for arrivals.
    pub(super) fn of_arrivals(arrivals: &[NewArrival]) -> Self {
        let keys = arrivals.iter();
        let keys = keys.filter_map(|arrival| Some((arrival.run_id, arrival.dedup_key.clone()?)));
        Self {
            owners: distinct(arrivals.iter().filter_map(|arrival| arrival.owner)),
            run_ids: arrivals.iter().map(|arrival| arrival.run_id).collect(),
            keys: keys.collect(),
        }
    }

    /// The rows needed for ends of attempts.
    pub(super) fn of_ends(ends: &[FinishActivity]) -> Self {
        let owner = |end: &FinishActivity| match end.reporter {
            Reporter::Worker(worker) => Some(worker),
            Reporter::Token | Reporter::Expiry => None,
        };
        let outcomes = ends
            .iter()
            .filter(|end| matches!(end.end, ActivityEnd::Outcome(_) | ActivityEnd::Failed { .. }));
        let keys = ends.iter();
        let keys = keys.filter_map(|end| Some((end.key.run_id, end.dedup_key()?)));
        Self {
            owners: distinct(ends.iter().filter_map(owner)),
            run_ids: outcomes.map(|end| end.key.run_id).collect(),
            keys: keys.collect(),
        }
    }
}

/// The workers named, each once.
pub(super) fn distinct(owners: impl Iterator<Item = WorkerLease>) -> Vec<WorkerLease> {
    let mut distinct = Vec::new();
    for owner in owners {
        if !distinct.contains(&owner) {
            distinct.push(owner);
        }
    }
    distinct
}
