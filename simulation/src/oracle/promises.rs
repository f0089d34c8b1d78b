//! Promises: each has one outcome, which somebody has given; every wait gets the same outcome, once.

use std::collections::{BTreeMap, BTreeSet};

use piton::machine::OperationOutcome;
use piton::model::{
    Handle, Message, PromiseKey, PromiseMessage, PromiseOutcome, PromiseScope, PromiseToken, RunId,
};
use piton::store::{ArrivalKind, CommitStep, CompletePromise, Effect};

use super::Run;

/// See the [module documentation](self).
#[derive(Debug, Default)]
pub(super) struct Promises {
    /// By the requested keys: those of a workflow id are separate from those of a run.
    books: BTreeMap<PromiseKey, Book>,
    /// The promise that each operation awaits.
    waits: BTreeMap<(RunId, Handle), PromiseToken>,
    told: BTreeSet<(RunId, Handle)>,
}

#[derive(Debug, Default)]
struct Book {
    /// All outcomes that runs have offered.
    offered: Vec<PromiseOutcome>,
    /// The completions of clients that were accepted. A client without a response repeats its completion.
    counted: Vec<CompletePromise>,
    /// The outcome that a run got.
    outcome: Option<PromiseOutcome>,
}

/// The started runs.
type Runs = BTreeMap<RunId, Run>;

impl Promises {
    /// Records the messages of a step to promises.
    pub(super) fn sent(&mut self, step: &CommitStep) {
        for effect in &step.effects {
            let Effect::Send(message) = effect else { continue };
            let Message::Promise(message) = &message.body else { continue };
            match &**message {
                PromiseMessage::Await { token, handle, .. } => {
                    self.waits.insert((step.run_id, *handle), token.clone());
                }
                PromiseMessage::Complete { token, outcome } => {
                    let book = self.books.entry(token.key().clone()).or_default();
                    book.offered.push(outcome.clone());
                }
                _ => {}
            }
        }
    }

    /// Records an arrival. Returns a violation.
    pub(super) fn came(
        &mut self,
        run_id: RunId,
        kind: &ArrivalKind,
        runs: &Runs,
    ) -> Option<String> {
        let ArrivalKind::Outcome { handle, outcome: OperationOutcome::Promise(outcome) } = kind
        else {
            return None;
        };
        let wait = (run_id, *handle);
        let Some(token) = self.waits.get(&wait).cloned() else {
            return Some("was told of a promise that it does not await".to_owned());
        };
        if !self.told.insert(wait) {
            return Some(format!("was told twice of the promise {token}"));
        }
        self.agree(&token, outcome, runs)
    }

    /// Records the completion of a client, or its attempt. Returns a violation.
    pub(super) fn completed(
        &mut self,
        completion: &CompletePromise,
        counts: bool,
        runs: &Runs,
    ) -> Option<String> {
        if !counts {
            return None;
        }
        let token = &completion.token;
        let is_sure = Owners::of(token, runs).are_one();
        let book = self.books.entry(token.key().clone()).or_default();
        let is_known = |other: &CompletePromise| other.completion == completion.completion;
        let others = book.counted.iter().any(|other| !is_known(other));
        if !book.counted.iter().any(is_known) {
            book.counted.push(completion.clone());
        }
        if others && is_sure {
            return Some(format!("{token} was completed twice"));
        }
        self.agree(token, &completion.outcome, runs)
    }

    /// Checks the outcome that a client got.
    pub(super) fn heard(
        &mut self,
        token: &PromiseToken,
        outcome: &PromiseOutcome,
        runs: &Runs,
    ) -> Option<String> {
        self.agree(token, outcome, runs)
    }

    /// Checks that a promise has this outcome. Returns a violation.
    fn agree(
        &mut self,
        token: &PromiseToken,
        outcome: &PromiseOutcome,
        runs: &Runs,
    ) -> Option<String> {
        let owners = Owners::of(token, runs);
        let keys = owners.keys(token.name());
        if let PromiseOutcome::Broken(_) = outcome {
            return (!owners.may_be_over).then(|| format!("{token} was broken"));
        }
        let books = keys.iter().filter_map(|key| self.books.get(key));
        let mut offers = books.flat_map(|book| {
            let counted = book.counted.iter().map(|completion| &completion.outcome);
            book.offered.iter().chain(counted)
        });
        if !offers.any(|offer| offer == outcome) {
            return Some(format!("{token} has come to {outcome:?}, which nobody has said"));
        }
        if !owners.are_one() {
            return None;
        }
        // One record of the outcome for all tokens of the promise.
        let known = &mut self.books.entry(keys[0].clone()).or_default().outcome;
        let known = known.get_or_insert_with(|| outcome.clone());
        (known != outcome).then(|| format!("{token} has come to {known:?} and to {outcome:?}"))
    }
}

/// The possible owners of a token's promise.
struct Owners {
    runs: Vec<RunId>,
    /// The workflow id; `None` for a promise that all runs share.
    workflow_id: Option<String>,
    may_be_over: bool,
}

impl Owners {
    fn of(token: &PromiseToken, runs: &Runs) -> Self {
        let workflow_id = match token.scope() {
            PromiseScope::Run(run_id) => runs.get(run_id).map(|run| run.workflow_id.clone()),
            PromiseScope::WorkflowId(workflow_id) => Some(workflow_id.clone()),
            _ => None,
        };
        let had = runs.iter().filter(|(_, run)| Some(&run.workflow_id) == workflow_id.as_ref());
        let may_be_over = had.clone().any(|(_, run)| run.is_closed);
        let runs = had.map(|(run_id, _)| *run_id).collect();
        Self { runs, workflow_id, may_be_over }
    }

    /// Whether the token names the same promise at all times.
    fn are_one(&self) -> bool {
        self.runs.len() <= 1
    }

    /// The keys that the promise may have been completed by. The first is the same for all tokens of the promise.
    fn keys(&self, name: &str) -> Vec<PromiseKey> {
        let key = |scope| PromiseKey { scope, name: name.to_owned() };
        let Some(workflow_id) = &self.workflow_id else { return vec![key(PromiseScope::Shared)] };
        let of_id = key(PromiseScope::WorkflowId(workflow_id.clone()));
        let of_runs = self.runs.iter().map(|run_id| key(PromiseScope::Run(*run_id)));
        std::iter::once(of_id).chain(of_runs).collect()
    }
}
