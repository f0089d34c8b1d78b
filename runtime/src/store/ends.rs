//! Decides the result of each end of an attempt in a batch, for all SQL stores.
//!
//! The store has locked the runs and the activities and has read their columns; this module does no I/O.

use std::collections::{BTreeSet, HashMap};
use std::time::Duration;

use sqlx::FromRow;
use uuid::Uuid;

use super::promises::finish_message;
use super::recipients::Recipients;
use super::{
    ActivityEnd, ActivityKey, ArrivalKind, ArrivalOutcome, FinishActivity, FinishOutcome,
    MessageKey, NewArrival, Reporter, WorkerLease,
};
use crate::machine::OperationOutcome;
use crate::model::{
    Epoch, Handle, OutgoingMessage, Payload, PromiseToken, RunId, Timestamp, WorkerId,
};

/// The columns of an activity whose attempt ends.
#[derive(FromRow)]
pub(super) struct AttemptRow {
    run_id: Uuid,
    handle: i64,
    attempt: i64,
    worker_id: Option<i64>,
    epoch: Option<i64>,
    queue: String,
    waits: bool,
    expired: bool,
    activity: String,
    item_key: Option<String>,
    retention_ms: Option<i64>,
}

struct Attempt {
    number: i64,
    worker: Option<WorkerLease>,
    queue: String,
    waits: bool,
    expired: bool,
    /// The promise that it completes and how long the outcome is kept, if it is an item of a queue.
    item: Option<(PromiseToken, Duration)>,
}

/// The state before a batch of ends, and the writes of the batch.
pub(super) struct Ends {
    recipients: Recipients,
    attempts: HashMap<ActivityKey, Attempt>,
    /// The outcomes, as accepted arrivals.
    pub(super) arrivals: Vec<NewArrival>,
    /// The results of these arrivals, in their order.
    pub(super) accepted: Vec<ArrivalOutcome>,
    /// The activities that are complete.
    pub(super) removed: Vec<ActivityKey>,
    /// The failed ones among them, with their errors.
    pub(super) failed: Vec<(ActivityKey, String)>,
    /// The ids used in place of run ids by those that have neither a run nor a promise.
    pub(super) detached: Vec<RunId>,
    /// The ones among them that another worker is attempting, to be notified.
    pub(super) given_up: Vec<ActivityKey>,
    /// The activities that continue without their present worker.
    pub(super) let_go: Vec<LetGo>,
    /// Messages of completed items of queues to their promises.
    pub(super) messages: Vec<(MessageKey, OutgoingMessage)>,
    /// Keys of tokens that were used without an arrival.
    pub(super) keys: Vec<(RunId, String)>,
    /// The queues with activities that are due, now or later.
    pub(super) queues: BTreeSet<String>,
}

/// An activity that continues without its present worker.
pub(super) struct LetGo {
    pub(super) key: ActivityKey,
    /// When it is due again; `None` if the attempt waits for its token.
    pub(super) due_at: Option<Timestamp>,
    /// The number of its last attempt.
    pub(super) attempt: i64,
    /// New details of a heartbeat, if there are any.
    pub(super) details: Option<Payload>,
    /// The failure of that attempt, if it failed.
    pub(super) failure: Option<String>,
}

impl Ends {
    pub(super) fn new(recipients: Recipients, rows: Vec<AttemptRow>) -> Self {
        let attempts = rows.into_iter().map(|row| {
            let worker = row
                .worker_id
                .zip(row.epoch)
                .map(|(id, epoch)| WorkerLease { worker_id: WorkerId(id), epoch: Epoch(epoch) });
            let AttemptRow { attempt: number, queue, waits, expired, activity, .. } = row;
            let retention = Duration::from_millis(row.retention_ms.unwrap_or(0).unsigned_abs());
            let token = |name| PromiseToken::of_item(activity, &*queue, name);
            let item = row.item_key.map(|name| (token(name), retention));
            (key(row.run_id, row.handle), Attempt { number, worker, queue, waits, expired, item })
        });
        Self {
            attempts: attempts.collect(),
            recipients,
            arrivals: Vec::new(),
            accepted: Vec::new(),
            removed: Vec::new(),
            failed: Vec::new(),
            detached: Vec::new(),
            given_up: Vec::new(),
            let_go: Vec::new(),
            messages: Vec::new(),
            keys: Vec::new(),
            queues: BTreeSet::new(),
        }
    }

    /// Decides the result of one end, and records its writes.
    pub(super) fn accept(&mut self, end: FinishActivity) -> FinishOutcome {
        let token = end.dedup_key();
        let FinishActivity { key, attempt, reporter, end } = end;
        if token.as_ref().is_some_and(|token| self.recipients.has_key(key.run_id, token)) {
            return FinishOutcome::Repeated;
        }
        let Some(known) = self.attempts.get_mut(&key) else { return FinishOutcome::Stale };
        let is_entitled = match reporter {
            Reporter::Worker(worker) => {
                known.worker == Some(worker) && self.recipients.is_valid(worker)
            }
            Reporter::Token => !known.waits,
            Reporter::Expiry => known.expired,
        };
        if known.number != i64::from(attempt) || !is_entitled {
            return FinishOutcome::Stale;
        }
        let (due_at, counted, said) = match end {
            ActivityEnd::Outcome(outcome) => {
                return self.finish((key, token), reporter, outcome, None);
            }
            ActivityEnd::Failed { outcome, failure } => {
                return self.finish((key, token), reporter, outcome, Some(failure));
            }
            ActivityEnd::Retry { retry_at, failure, details } => {
                (Some(retry_at), known.number, (details, Some(failure)))
            }
            ActivityEnd::Later => (None, known.number, (None, None)),
            ActivityEnd::PutBack { due_at } => (Some(due_at), known.number - 1, (None, None)),
        };
        (known.worker, known.expired) = (None, false);
        if due_at.is_some() {
            known.waits = true;
            self.queues.insert(known.queue.clone());
        }
        let (due_at, attempt, (details, failure)) = (due_at.map(tellable), counted, said);
        self.let_go.push(LetGo { key, due_at, attempt, details, failure });
        self.use_token(key, token);
        FinishOutcome::Finished
    }

    /// Ends an activity. With a `failure`, keeps it as a failed call.
    fn finish(
        &mut self,
        (key, token): (ActivityKey, Option<String>),
        reporter: Reporter,
        outcome: OperationOutcome,
        failure: Option<String>,
    ) -> FinishOutcome {
        let known = self.attempts.remove(&key);
        let has_worker = known.as_ref().is_some_and(|known| known.worker.is_some());
        if has_worker && !matches!(reporter, Reporter::Worker(_)) {
            self.given_up.push(key);
        }
        self.removed.push(key);
        if let Some((promise, retention)) = known.and_then(|known| known.item) {
            self.messages.push(finish_message(key, promise, retention, outcome));
            self.use_token(key, token);
        } else if key.is_item() {
            // No run awaits a call that was put on its queue again.
            self.detached.push(key.run_id);
        } else {
            let kind = ArrivalKind::Outcome { handle: key.handle, outcome };
            let (run_id, owner) = (key.run_id, None);
            let arrival = NewArrival { run_id, kind, dedup_key: token, owner };
            if self.deliver(arrival) == FinishOutcome::Stale {
                return FinishOutcome::Stale;
            }
        }
        self.failed.extend(failure.map(|failure| (key, failure)));
        FinishOutcome::Finished
    }

    /// Records that a token was used without an arrival.
    fn use_token(&mut self, key: ActivityKey, token: Option<String>) {
        if let Some(token) = token {
            self.recipients.add_key(key.run_id, token.clone());
            self.keys.push((key.run_id, token));
        }
    }

    /// A closed run takes no outcome; the activity's row is deleted nevertheless.
    fn deliver(&mut self, arrival: NewArrival) -> FinishOutcome {
        let accepted = self.recipients.accept(&arrival);
        match accepted {
            ArrivalOutcome::Accepted { .. } => {
                self.arrivals.push(arrival);
                self.accepted.push(accepted);
                FinishOutcome::Finished
            }
            _ => FinishOutcome::Stale,
        }
    }

    /// The owner of a run that has a new arrival.
    #[cfg(feature = "postgres")]
    pub(super) fn owner(&self, run_id: RunId) -> Option<WorkerId> {
        self.recipients.owner(run_id)
    }

    /// The runs with new arrivals: those that become due, then the others.
    pub(super) fn grown(&self) -> (super::recipients::Counts, super::recipients::Counts) {
        self.recipients.grown()
    }
}

/// The key of a row.
pub(super) fn key(run_id: Uuid, handle: i64) -> ActivityKey {
    // Handles are not negative, which the schema checks.
    ActivityKey { run_id: run_id.into(), handle: Handle(handle.unsigned_abs()) }
}

/// The stored form of a handle.
pub(super) fn handle(handle: Handle) -> i64 {
    // A run with a million operations a second reaches this after 290,000 years.
    i64::try_from(handle.0).unwrap_or(i64::MAX)
}

/// Clamps a time so that limits can be added to it without overflow.
fn tellable(at: Timestamp) -> Timestamp {
    Timestamp(at.0.clamp(i64::MIN / 2, i64::MAX / 2))
}
