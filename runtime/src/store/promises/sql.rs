//! The changes of promises in one transaction of an SQL store.
//!
//! The store looks up the owners of the promises, locks the runs, then the promises, reads the rows, and calls
//! [`decide`].

use std::collections::{BTreeMap, BTreeSet};

use super::{Ask, Due, NewItem, Place, PromiseRow, PromiseRows, awaited_owner};
use crate::model::{Handle, PromiseKey, PromiseMessage, PromiseScope, RunId, Timestamp};
use crate::store::recipients::Recipients;
use crate::store::{CompletePromise, CompletionOutcome, MessageKey};

/// A change of a promise.
#[derive(Clone, Debug)]
pub(in crate::store) enum Work {
    /// Requested by a message of a run.
    Told { message: MessageKey, ask: Ask },
    /// A completion from outside.
    Complete(CompletePromise),
    /// Processes due work.
    Settle(PromiseKey),
}

impl Work {
    pub(in crate::store) fn scope(&self) -> &PromiseScope {
        match self {
            Self::Told { ask, .. } => ask.token().scope(),
            Self::Complete(completion) => completion.token.scope(),
            Self::Settle(key) => &key.scope,
        }
    }

    fn name(&self) -> &str {
        match self {
            Self::Told { ask, .. } => ask.token().name(),
            Self::Complete(completion) => completion.token.name(),
            Self::Settle(key) => &key.name,
        }
    }

    /// The message that requests it.
    pub(in crate::store) fn message(&self) -> Option<MessageKey> {
        match self {
            Self::Told { message, .. } => Some(*message),
            Self::Complete(_) | Self::Settle(_) => None,
        }
    }

    /// Whether it may give a promise an outcome, which then goes to all waits.
    #[cfg(feature = "postgres")]
    fn may_complete(&self) -> bool {
        match self {
            Self::Told { ask, .. } => matches!(
                ask.message,
                PromiseMessage::Complete { .. } | PromiseMessage::Finish { .. }
            ),
            Self::Complete(_) | Self::Settle(_) => true,
        }
    }
}

/// The owners of the promises by scope.
pub(in crate::store) type Places = BTreeMap<PromiseScope, Place>;

fn keys_of(work: &Work, places: &Places) -> [Option<PromiseKey>; 2] {
    let place = places.get(work.scope());
    let keys = place.map(|place| place.keys(work.name()));
    keys.map_or([None, None], |(own, ahead)| [Some(own), ahead])
}

/// The keys of all rows that it may touch, in order.
pub(in crate::store) fn keys<'a>(
    work: impl IntoIterator<Item = &'a Work>,
    places: &Places,
) -> BTreeSet<PromiseKey> {
    work.into_iter().flat_map(|work| keys_of(work, places)).flatten().collect()
}

/// The keys of the promises that may get an outcome.
#[cfg(feature = "postgres")]
pub(in crate::store) fn completed_keys(work: &[Work], places: &Places) -> BTreeSet<PromiseKey> {
    keys(work.iter().filter(|work| work.may_complete()), places)
}

/// The runs to lock independent of the waits: the senders, and the owners of promises that may get an outcome.
pub(in crate::store) fn runs(work: &[Work], places: &Places) -> BTreeSet<RunId> {
    let senders = work.iter().filter_map(Work::message).map(|message| message.run_id);
    let owners = work.iter().filter_map(|work| match places.get(work.scope()) {
        Some(Place::Run { run_id, .. }) => Some(*run_id),
        _ => None,
    });
    senders.chain(owners).collect()
}

/// The writes.
#[derive(Default)]
pub(in crate::store) struct Decided {
    /// The results of completions, one entry per work.
    pub(in crate::store) outcomes: Vec<Option<CompletionOutcome>>,
    /// The arrivals for inboxes.
    pub(in crate::store) due: Vec<Due>,
    pub(in crate::store) written: Vec<(PromiseKey, PromiseRow)>,
    pub(in crate::store) removed: Vec<PromiseKey>,
    pub(in crate::store) new_waits: Vec<Wait>,
    pub(in crate::store) gone_waits: Vec<Wait>,
    /// Runs whose promises other runs have begun to await, so that their end must be reported from now on.
    pub(in crate::store) awaited: BTreeSet<RunId>,
    /// New activities on queues.
    pub(in crate::store) items: Vec<NewItem>,
    /// Promises with waits that have not got the outcome yet.
    pub(in crate::store) left: Vec<PromiseKey>,
}

/// A wait's row.
pub(in crate::store) type Wait = (PromiseKey, RunId, Handle);

/// Decides the changes, in the order of the work. `rows` are the current rows.
pub(in crate::store) fn decide(
    work: &[Work],
    places: &Places,
    rows: PromiseRows,
    recipients: &Recipients,
    now: Timestamp,
) -> Decided {
    let before = rows.clone();
    let mut rows = rows;
    let mut decided = Decided::default();
    let mut ended = BTreeSet::new();
    for one in work {
        let mut outcome = None;
        if let Some(place) = places.get(one.scope()) {
            let place = place.as_locked(recipients);
            match one {
                Work::Told { ask, .. } => {
                    let is_open = recipients.is_open(ask.sender);
                    let due = ask.carry_out(&mut rows, &place, is_open, now, &mut decided.items);
                    decided.due.extend(due);
                    if let PromiseMessage::Forget { handle, .. } = ask.message {
                        // Its row may not exist.
                        let (key, ahead) = place.keys(one.name());
                        let keys = [key].into_iter().chain(ahead);
                        decided.gone_waits.extend(keys.map(|key| (key, ask.sender, handle)));
                    }
                }
                Work::Complete(completion) => {
                    outcome = Some(rows.complete_checked(&place, completion, now));
                }
                Work::Settle(_) => {}
            }
            let has = |run_id| recipients.has(run_id);
            decided.due.extend(rows.settle(&place, one.name(), has, now));
            if rows.awaits_end(&place, one.name()) {
                ended.insert(place.keys(one.name()).0);
            }
        }
        decided.outcomes.push(outcome);
    }
    decided.left.extend(ended);
    decided.compare(&before, rows, now);
    decided
}

impl Decided {
    /// Records the changed rows.
    fn compare(&mut self, before: &PromiseRows, after: PromiseRows, now: Timestamp) {
        let waits = |rows: &PromiseRows| {
            let waits = rows.0.iter().flat_map(|(key, row)| {
                row.waits.iter().map(|(run_id, handle)| (key.clone(), *run_id, *handle))
            });
            waits.collect::<BTreeSet<Wait>>()
        };
        let (waits_before, waits_after) = (waits(before), waits(&after));
        self.new_waits.extend(waits_after.difference(&waits_before).cloned());
        self.gone_waits.extend(waits_before.difference(&waits_after).cloned());
        let owners = self.new_waits.iter();
        self.awaited = owners.filter_map(|(key, run_id, _)| awaited_owner(key, *run_id)).collect();
        let removed = before.0.keys().filter(|key| !after.0.contains_key(key));
        self.removed.extend(removed.cloned());
        for (key, row) in after.0 {
            let old = before.0.get(&key);
            let is_told = row.outcome.is_some() && !row.is_awaited();
            let is_left = row.due_at().is_some_and(|at| row.outcome.is_some() || at <= now);
            let is_left = is_left && !is_told;
            if is_left {
                self.left.push(key.clone());
            }
            if old.is_none_or(|old| old.columns() != row.columns()) {
                self.written.push((key, row));
            }
        }
    }

    /// Whether there is nothing to write.
    pub(in crate::store) fn is_empty(&self) -> bool {
        let changes_rows = !self.written.is_empty() || !self.removed.is_empty();
        let changes_waits = !self.new_waits.is_empty() || !self.gone_waits.is_empty();
        self.due.is_empty() && !changes_rows && !changes_waits
    }
}

impl PromiseRow {
    /// The schemas as columns.
    pub(in crate::store) fn type_hashes(&self) -> (Option<i64>, Option<i64>) {
        let hashes = self.types.map(|types| (types.resolved.0 as i64, types.rejected.0 as i64));
        hashes.unzip()
    }

    /// The content of its row.
    fn columns(&self) -> Self {
        let due = self.due_at();
        // The row shows that it has waits by its due time.
        Self { waits: BTreeSet::new(), has_more: false, look_at: due, ..self.clone() }
    }
}

impl Place {
    /// The owner, once the run is locked.
    fn as_locked(&self, recipients: &Recipients) -> Self {
        match self {
            Self::Run { run_id, workflow_id, workflow, .. } => Self::Run {
                run_id: *run_id,
                workflow_id: workflow_id.clone(),
                workflow: workflow.clone(),
                is_open: recipients.is_open(*run_id),
            },
            other => other.clone(),
        }
    }
}
