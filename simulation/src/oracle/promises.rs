//! Promises: each comes to one thing, which somebody has completed it with; every run that awaits it is told the same, once
//! for each wait.

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
    /// By their keys as they are asked for: those of a workflow id are not yet those of a run.
    books: BTreeMap<PromiseKey, Book>,
    /// Which promise each operation awaits.
    waits: BTreeMap<(RunId, Handle), PromiseToken>,
    told: BTreeSet<(RunId, Handle)>,
}

#[derive(Debug, Default)]
struct Book {
    /// What runs have completed it with, first or not.
    offered: Vec<PromiseOutcome>,
    /// What clients have completed it with, and were told that it counts. A client that hears no answer says it again.
    counted: Vec<CompletePromise>,
    /// What it has come to, as a run was told.
    outcome: Option<PromiseOutcome>,
}

/// The runs that have been started.
type Runs = BTreeMap<RunId, Run>;

impl Promises {
    /// Takes note of what a step says to promises.
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

    /// Takes note of what has come to an inbox. Returns what is wrong.
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

    /// A client has completed a promise, or tried to. Returns what is wrong.
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

    /// Checks what a client was told that a promise has come to.
    pub(super) fn heard(
        &mut self,
        token: &PromiseToken,
        outcome: &PromiseOutcome,
        runs: &Runs,
    ) -> Option<String> {
        self.agree(token, outcome, runs)
    }

    /// Whether a promise has come to this. Returns what is wrong.
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
        // One place for what it has come to, whoever asks by whichever token.
        let known = &mut self.books.entry(keys[0].clone()).or_default().outcome;
        let known = known.get_or_insert_with(|| outcome.clone());
        (known != outcome).then(|| format!("{token} has come to {known:?} and to {outcome:?}"))
    }
}

/// Whose promise a token may mean.
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

    /// Whether the token means one promise, whenever it is asked for.
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
