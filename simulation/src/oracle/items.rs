//! Items of queues: each key is one item, which is executed once; every call of a run gets its outcome once.

use std::collections::{BTreeMap, BTreeSet};

use piton::activities::ActivityInfo;
use piton::machine::OperationOutcome;
use piton::model::{Handle, Message, PromiseKey, PromiseMessage, PromiseOutcome, RunId};
use piton::store::{
    ActivityEnd, ActivityKey, ArrivalKind, CommitStep, Effect, FailedCall, FailedCallId,
    FinishActivity, Reporter, WorkerLease,
};

/// See the [module documentation](self).
#[derive(Debug, Default)]
pub(super) struct Items {
    /// The item of each call of a run.
    waits: BTreeMap<(RunId, Handle), PromiseKey>,
    told: BTreeSet<(RunId, Handle)>,
    /// The activity of each key, known once an attempt has begun.
    of_numbers: BTreeMap<u32, RunId>,
    rows: BTreeMap<RunId, Row>,
    /// The failed calls that were put on their queues again. A call that fails again has a new id.
    redriven: BTreeSet<FailedCallId>,
    /// Those of them that were calls of runs and of which no attempt was made since, by the number of that attempt.
    unmade: BTreeMap<u32, u32>,
    /// What runs were told of each item.
    outcomes: BTreeMap<PromiseKey, PromiseOutcome>,
}

#[derive(Debug, Default)]
struct Row {
    attempt: u32,
    /// Who makes the attempt.
    worker: Option<WorkerLease>,
    /// The attempts that have begun.
    begun: BTreeSet<u32>,
    outcome: Option<PromiseOutcome>,
}

impl Items {
    /// Records the items that a step offers.
    pub(super) fn sent(&mut self, step: &CommitStep) {
        for effect in &step.effects {
            let Effect::Send(message) = effect else { continue };
            let Message::Promise(message) = &message.body else { continue };
            if let PromiseMessage::Offer { token, handle, .. } = &**message {
                self.waits.insert((step.run_id, *handle), token.key().clone());
            }
        }
    }

    /// Records a call, which was attempted as often, where it is first seen under its id: a redriven call of a run gets an
    /// id of its own, and its attempts are numbered on.
    fn meet(&mut self, run_id: RunId, attempts: u32) {
        if let Some(unmade) = self.unmade.get_mut(&attempts)
            && !self.rows.contains_key(&run_id)
            && *unmade > 0
        {
            *unmade -= 1;
            self.rows.insert(run_id, Row { attempt: attempts, ..Row::default() });
        }
    }

    /// An attempt was given to a worker.
    pub(super) fn attempted(
        &mut self,
        key: ActivityKey,
        attempt: u32,
        worker: WorkerLease,
        again: bool,
    ) -> Option<String> {
        self.meet(key.run_id, attempt - 1);
        let row = self.rows.entry(key.run_id).or_default();
        let fits = match again {
            true => row.worker == Some(worker) && row.attempt == attempt,
            false => row.worker.is_none() && row.attempt + 1 == attempt,
        };
        let is_over = row.outcome.is_some();
        (row.attempt, row.worker) = (attempt, Some(worker));
        (!fits || is_over).then(|| format!("attempt {attempt} of an item was given away twice"))
    }

    /// An attempt begins. Of the items that were offered under a key, only one is ever attempted.
    pub(super) fn begins(&mut self, info: &ActivityInfo, number: u32) -> Option<String> {
        let known = *self.of_numbers.entry(number).or_insert(info.run_id);
        let is_new = self.rows.entry(info.run_id).or_default().begun.insert(info.attempt);
        let attempt = info.attempt;
        if known != info.run_id {
            return Some(format!("the item {number} is executed twice"));
        }
        (!is_new).then(|| format!("attempt {attempt} of the item {number} has begun twice"))
    }

    /// A call that has failed was put on its queue again.
    pub(super) fn called_again(&mut self, call: &FailedCall) -> Option<String> {
        if !self.redriven.insert(call.id) {
            return Some(format!("{:?} was put on its queue again twice", call.key));
        }
        match self.rows.get_mut(&call.key.run_id) {
            Some(row) if call.key.is_item() => row.outcome = None,
            _ => *self.unmade.entry(call.attempts).or_default() += 1,
        }
        None
    }

    /// An attempt of a redriven call begins.
    pub(super) fn redriven_begins(&mut self, info: &ActivityInfo) -> Option<String> {
        let row = self.rows.get_mut(&info.run_id);
        let is_new = row.is_some_and(|row| row.begun.insert(info.attempt));
        (!is_new).then(|| format!("attempt {} of a redriven call has begun twice", info.attempt))
    }

    pub(super) fn let_go(&mut self, worker: WorkerLease) {
        let made = self.rows.values_mut().filter(|row| row.worker == Some(worker));
        made.for_each(|row| row.worker = None);
    }

    /// An attempt has ended.
    pub(super) fn ended(&mut self, end: &FinishActivity) -> Option<String> {
        // It may expire before another attempt is made.
        self.meet(end.key.run_id, end.attempt);
        let row = self.rows.entry(end.key.run_id).or_default();
        let is_entitled = match end.reporter {
            Reporter::Worker(worker) => row.worker == Some(worker),
            Reporter::Token | Reporter::Expiry => true,
        };
        let fits = row.attempt == end.attempt && row.outcome.is_none() && is_entitled;
        row.worker = None;
        match &end.end {
            ActivityEnd::Outcome(outcome) | ActivityEnd::Failed { outcome, .. } => {
                row.outcome = Some(outcome.clone().into());
            }
            ActivityEnd::PutBack { .. } => row.attempt -= 1,
            ActivityEnd::Retry { .. } | ActivityEnd::Later => {}
        }
        let attempt = end.attempt;
        (!fits).then(|| format!("attempt {attempt} of an item has ended twice"))
    }

    /// Whether an operation awaits an item.
    pub(super) fn awaits(&self, run_id: RunId, handle: Handle) -> bool {
        self.waits.contains_key(&(run_id, handle))
    }

    /// Records an arrival. Returns a violation.
    pub(super) fn came(&mut self, run_id: RunId, kind: &ArrivalKind) -> Option<String> {
        let ArrivalKind::Outcome { handle, outcome: OperationOutcome::Promise(outcome) } = kind
        else {
            return None;
        };
        let key = self.waits.get(&(run_id, *handle))?;
        if !self.told.insert((run_id, *handle)) {
            return Some(format!("was told twice of the item {}", key.name));
        }
        if !self.rows.values().any(|row| row.outcome.as_ref() == Some(outcome)) {
            return Some(format!("the item {} has come to {outcome:?}, which is not so", key.name));
        }
        let known = self.outcomes.entry(key.clone()).or_insert_with(|| outcome.clone());
        (known != outcome)
            .then(|| format!("the item {} has come to {known:?} and {outcome:?}", key.name))
    }
}
