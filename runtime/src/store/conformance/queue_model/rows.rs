//! The expected rows, in a form that is simple enough to verify by reading.

use std::collections::{BTreeMap, BTreeSet};

use super::history::By;
use crate::machine::TimeoutKind;
use crate::model::{AttemptFailure, Payload, RunId, Timestamp, pause_after_interruptions};
use crate::store::{ActivityKey, ActivityLimits, Reporter, WorkerLease};

#[derive(Debug)]
pub(super) struct Run {
    pub(super) run_id: RunId,
    pub(super) owner: Option<WorkerLease>,
    pub(super) is_open: bool,
    pub(super) step_no: i64,
    pub(super) handles: u64,
    pub(super) arrived: usize,
}

#[derive(Debug)]
pub(super) struct Row {
    pub(super) queue: &'static str,
    pub(super) activity: &'static str,
    pub(super) limits: ActivityLimits,
    pub(super) attempt: u32,
    pub(super) interruptions: u32,
    pub(super) worker: Option<WorkerLease>,
    pub(super) due_at: Option<Timestamp>,
    pub(super) end_by: Option<Timestamp>,
    pub(super) expires_at: Option<Timestamp>,
    pub(super) details: Option<Payload>,
    pub(super) last_failure: Option<AttemptFailure>,
}

pub(super) fn first(times: [Option<Timestamp>; 2]) -> Option<Timestamp> {
    times.into_iter().flatten().min()
}

impl Row {
    pub(super) fn wait(&mut self, due_at: Timestamp) {
        let start_by = self.limits.schedule_to_start.map(|limit| due_at + limit);
        (self.worker, self.end_by, self.due_at) = (None, None, Some(due_at));
        self.expires_at = first([start_by, self.limits.close_by]);
    }

    pub(super) fn begin(&mut self, worker: WorkerLease, now: Timestamp) {
        let end_by = self.limits.start_to_close.map(|limit| now + limit);
        (self.worker, self.due_at) = (Some(worker), None);
        self.attempt += 1;
        self.end_by = first([end_by, self.limits.close_by]);
        self.live(now);
    }

    pub(super) fn live(&mut self, now: Timestamp) {
        let silent_by = self.limits.heartbeat.map(|limit| now + limit);
        self.expires_at = first([silent_by, self.end_by]);
    }

    pub(super) fn is_expired(&self, now: Timestamp) -> bool {
        self.expires_at.is_some_and(|at| at <= now)
    }

    pub(super) fn expired_limit(&self, now: Timestamp) -> TimeoutKind {
        if self.limits.close_by.is_some_and(|at| at <= now) {
            TimeoutKind::ScheduleToClose
        } else if self.due_at.is_some() {
            TimeoutKind::ScheduleToStart
        } else if self.end_by.is_some_and(|at| at <= now) {
            TimeoutKind::StartToClose
        } else {
            TimeoutKind::Heartbeat
        }
    }
}

/// The state of the model.
#[derive(Debug, Default)]
pub(super) struct Model {
    pub(super) runs: Vec<Run>,
    pub(super) rows: BTreeMap<ActivityKey, Row>,
    /// Activities that are complete.
    pub(super) over: BTreeSet<ActivityKey>,
    /// Used tokens.
    pub(super) used: BTreeSet<(ActivityKey, u32)>,
    /// Every worker ever registered, with the end of its lease; `None` once it is removed.
    pub(super) workers: Vec<(WorkerLease, Option<Timestamp>)>,
    pub(super) tally: Tally,
}

/// Counts of events, which reveal a history in which nothing happens.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Tally {
    pub(super) taken: u32,
    pub(super) noted: u32,
    pub(super) finished: u32,
    pub(super) repeated: u32,
    pub(super) interrupted: u32,
}

impl Model {
    pub(super) fn is_valid(&self, worker: WorkerLease, now: Timestamp) -> bool {
        let known = self.workers.iter().find(|(known, _)| *known == worker);
        known.is_some_and(|(_, end)| end.is_some_and(|end| end > now))
    }

    /// The worker is removed: its activities are due again.
    pub(super) fn lose(&mut self, worker: WorkerLease, now: Timestamp) {
        for (_, end) in self.workers.iter_mut().filter(|(known, _)| *known == worker) {
            *end = None;
        }
        for run in self.runs.iter_mut().filter(|run| run.owner == Some(worker)) {
            run.owner = None;
        }
        for row in self.rows.values_mut().filter(|row| row.worker == Some(worker)) {
            row.interruptions += 1;
            let pause = pause_after_interruptions(row.interruptions).unwrap_or_default();
            row.wait(now + pause);
            self.tally.interrupted += 1;
        }
    }

    pub(super) fn remove(&mut self, gone: impl Fn(&ActivityKey) -> bool) {
        self.over.extend(self.rows.keys().filter(|key| gone(key)).copied());
        self.rows.retain(|key, _| !gone(key));
    }

    /// A worker, usually one that is not removed.
    pub(super) fn worker(&self, number: usize) -> WorkerLease {
        let living: Vec<_> = self.workers.iter().filter(|(_, end)| end.is_some()).collect();
        match living.len() {
            1.. if !number.is_multiple_of(8) => living[number % living.len()].0,
            _ => self.workers[number % self.workers.len()].0,
        }
    }

    pub(super) fn reporter(&self, by: By, key: ActivityKey) -> Option<Reporter> {
        Some(match by {
            By::Maker => Reporter::Worker(self.rows.get(&key)?.worker?),
            By::Worker(number) => Reporter::Worker(self.worker(number)),
            By::Token => Reporter::Token,
            By::Expiry => Reporter::Expiry,
        })
    }

    pub(super) fn is_entitled(&self, key: ActivityKey, reporter: Reporter, now: Timestamp) -> bool {
        self.rows.get(&key).is_some_and(|row| match reporter {
            Reporter::Worker(worker) => row.worker == Some(worker) && self.is_valid(worker, now),
            Reporter::Token => row.due_at.is_none(),
            Reporter::Expiry => row.is_expired(now),
        })
    }

    /// An activity, usually one with a running attempt.
    pub(super) fn pick(&self, number: usize) -> Option<ActivityKey> {
        let nth = |keys: Vec<ActivityKey>| keys.get(number.checked_rem(keys.len())?).copied();
        let live = || nth(self.rows.keys().copied().collect());
        let made = self.rows.iter().filter(|(_, row)| row.due_at.is_none());
        match number % 8 {
            0 => nth(self.over.iter().copied().collect()),
            1 | 2 => live(),
            _ => nth(made.map(|(key, _)| *key).collect()).or_else(live),
        }
    }

    /// The number of its last attempt; for a completed one, of a used token.
    pub(super) fn attempt(&self, key: ActivityKey) -> u32 {
        let used = self.used.iter().find(|(used, _)| *used == key).map(|(_, attempt)| *attempt);
        self.rows.get(&key).map(|row| row.attempt).or(used).unwrap_or(1)
    }
}
