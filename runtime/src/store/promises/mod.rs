//! Changes of promises: the common decisions of all stores.
//!
//! A store locks the runs and the promises, reads the rows, lets this module decide, and writes the changed rows. This
//! module must not know SQL.

#[cfg(any(feature = "sqlite", feature = "postgres"))]
pub(super) mod sql;

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use uuid::Uuid;

use super::{
    ActivityKey, ActivityLimits, ArrivalKind, CompletePromise, CompletionOutcome, MessageKey,
    NewActivity, NewArrival, PromiseRecord,
};
use crate::codec;
use crate::machine::OperationOutcome;
use crate::model::{
    Cause, Handle, ItemScope, Message, OutgoingMessage, PromiseKey, PromiseMessage, PromiseOutcome,
    PromiseScope, PromiseToken, PromiseTypes, QueueItem, RunId, Timestamp,
};

/// The limits of the interval between two lookups of the run with a promise's workflow id, if a promise is awaited
/// before the run exists. The interval is the age of the promise. Each one looks up one workflow id.
const LOOKS: (Duration, Duration) = (Duration::from_secs(1), Duration::from_mins(5));

/// The owner of a promise, as looked up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// A run.
    Run { run_id: RunId, workflow_id: String, workflow: String, is_open: bool },
    /// A run that does not exist.
    Nowhere(RunId),
    /// The first run with this workflow id, which does not exist yet.
    Ahead(String),
    /// The promise is shared.
    Shared,
    /// An item of a queue.
    Item(Box<ItemScope>),
}

impl Place {
    /// The key of the promise's row, and of a row whose content it may take over.
    pub(super) fn keys(&self, name: &str) -> (PromiseKey, Option<PromiseKey>) {
        let key = |scope| PromiseKey { scope, name: name.to_owned() };
        match self {
            Self::Run { run_id, workflow_id, .. } => {
                let ahead = key(PromiseScope::WorkflowId(workflow_id.clone()));
                (key(PromiseScope::Run(*run_id)), Some(ahead))
            }
            Self::Nowhere(run_id) => (key(PromiseScope::Run(*run_id)), None),
            Self::Ahead(workflow_id) => (key(PromiseScope::WorkflowId(workflow_id.clone())), None),
            Self::Shared => (key(PromiseScope::Shared), None),
            Self::Item(of) => (key(PromiseScope::Queue(of.clone())), None),
        }
    }

    /// The outcome for waits if nobody can complete the promise any more.
    fn end(&self) -> Option<PromiseOutcome> {
        let why = match self {
            Self::Nowhere(run_id) => format!("there is no run {run_id}"),
            Self::Run { run_id, is_open: false, .. } => format!("the run {run_id} is closed"),
            _ => return None,
        };
        Some(PromiseOutcome::Broken(Cause::interruption(why)))
    }
}

/// A promise's row, with the waits.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct PromiseRow {
    pub(super) workflow: String,
    /// The schemas that the awaiting code can read.
    pub(super) types: Option<PromiseTypes>,
    pub(super) outcome: Option<PromiseOutcome>,
    /// The id of the completion, if it is completed.
    pub(super) completion: Option<Uuid>,
    pub(super) made_at: Timestamp,
    pub(super) completed_at: Option<Timestamp>,
    pub(super) expires_at: Option<Timestamp>,
    /// When to look up the run with the workflow id, if the promise is awaited before that run exists. A start of a run
    /// does not look for promises.
    pub(super) look_at: Option<Timestamp>,
    /// The activity that completes it, if it is an item of a queue.
    pub(super) item: Option<RunId>,
    /// How long the outcome of an item is kept.
    pub(super) kept_until: Option<Timestamp>,
    /// The waits that were read, without an outcome so far.
    pub(super) waits: BTreeSet<(RunId, Handle)>,
    /// Whether there are more waits than were read.
    pub(super) has_more: bool,
}

impl PromiseRow {
    fn new(workflow: &str, now: Timestamp) -> Self {
        Self {
            workflow: workflow.to_owned(),
            types: None,
            outcome: None,
            completion: None,
            made_at: now,
            completed_at: None,
            expires_at: None,
            look_at: None,
            item: None,
            kept_until: None,
            waits: BTreeSet::new(),
            has_more: false,
        }
    }

    /// When a sweep must process it.
    pub(super) fn due_at(&self) -> Option<Timestamp> {
        match self.outcome {
            None => [self.expires_at, self.look_at].into_iter().flatten().min(),
            Some(_) if self.is_awaited() => self.completed_at,
            Some(_) => self.kept_until,
        }
    }

    /// Whether there are waits without an outcome.
    pub(super) fn is_awaited(&self) -> bool {
        self.has_more || !self.waits.is_empty()
    }

    fn is_of_use(&self) -> bool {
        let is_awaited = self.expires_at.is_some() || self.is_awaited();
        self.outcome.is_some() || self.item.is_some() || is_awaited
    }

    /// Whether it is an item whose outcome was delivered to all waits and whose retention has passed.
    fn is_over(&self, now: Timestamp) -> bool {
        let is_kept = self.kept_until.is_none_or(|until| until > now);
        self.outcome.is_some() && !is_kept && !self.is_awaited()
    }

    fn expire(&mut self, now: Timestamp) {
        if self.outcome.is_none()
            && let Some(expires_at) = self.expires_at.filter(|at| *at <= now)
        {
            self.outcome = Some(PromiseOutcome::Expired);
            self.completed_at = Some(expires_at);
        }
    }

    /// Decides when to look for the promise's run.
    fn plan_look(&mut self, place: &Place, now: Timestamp) {
        let looks = matches!(place, Place::Ahead(_)) && self.outcome.is_none() && self.is_awaited();
        let (shortest, longest) = LOOKS;
        let next = now + now.saturating_since(self.made_at).clamp(shortest, longest);
        self.look_at = looks.then(|| self.look_at.filter(|at| *at > now).unwrap_or(next));
    }

    /// Takes the row with the waits that were read. Leaves the others, to be taken over later.
    fn take_read(&mut self) -> Option<Self> {
        let rest = Self { waits: BTreeSet::new(), look_at: Some(self.made_at), ..self.clone() };
        let rest = self.has_more.then_some(rest);
        (self.has_more, self.look_at) = (false, None);
        rest
    }

    pub(super) fn record(&self, key: &PromiseKey) -> PromiseRecord {
        PromiseRecord {
            token: PromiseToken::new(&self.workflow, key.scope.clone(), &key.name),
            types: self.types,
            outcome: self.outcome.clone(),
            made_at: self.made_at,
            completed_at: self.completed_at,
            expires_at: self.expires_at,
            item: self.item,
            waits: self.waits.len() as u64,
        }
    }
}

/// An outcome that goes to a run.
pub(super) struct Due {
    pub(super) run_id: RunId,
    pub(super) handle: Handle,
    pub(super) outcome: PromiseOutcome,
}

impl From<Due> for NewArrival {
    fn from(Due { run_id, handle, outcome }: Due) -> Self {
        let kind = match outcome {
            PromiseOutcome::Unreadable { stored, reason } => unread(handle, &stored, reason),
            outcome => ArrivalKind::Outcome { handle, outcome: OperationOutcome::Promise(outcome) },
        };
        Self { run_id, kind, dedup_key: None, owner: None }
    }
}

/// The arrival for an outcome that this build cannot read. A build that can read the outcome can read the arrival.
fn unread(handle: Handle, stored: &[u8], reason: String) -> ArrivalKind {
    let outcome = OperationOutcome::Promise(PromiseOutcome::Expired);
    // A handle and two numbers can always be encoded.
    let expired = codec::to_record(&ArrivalKind::Outcome { handle, outcome });
    let mut arrival = expired.expect("it is plain data");
    // The outcome is the last byte of it.
    arrival.pop();
    match stored.split_first() {
        Some((encoding, outcome)) if *encoding == arrival[0] => arrival.extend(outcome),
        // No outcome of the encoding of arrivals begins like this.
        _ => arrival.extend([u8::MAX].iter().chain(stored)),
    }
    ArrivalKind::Unreadable { stored: arrival, reason }
}

/// The rows of the promises to change.
#[derive(Clone, Debug, Default)]
pub(super) struct PromiseRows(pub(super) BTreeMap<PromiseKey, PromiseRow>);

impl PromiseRows {
    /// The key of the promise's row. Takes over the row that was written for its workflow id.
    fn key(&mut self, place: &Place, name: &str) -> PromiseKey {
        let (key, ahead) = place.keys(name);
        let Some((ahead_key, mut ahead)) = ahead.and_then(|ahead| self.0.remove_entry(&ahead))
        else {
            return key;
        };
        if let Some(rest) = ahead.take_read() {
            self.0.insert(ahead_key, rest);
        }
        match self.0.get_mut(&key) {
            None => _ = self.0.insert(key.clone(), ahead),
            Some(row) => {
                row.waits.append(&mut ahead.waits);
                row.expires_at = row.expires_at.or(ahead.expires_at);
                row.types = row.types.or(ahead.types);
                if row.outcome.is_none() {
                    row.outcome = ahead.outcome;
                    row.completion = ahead.completion;
                    row.completed_at = ahead.completed_at;
                }
            }
        }
        key
    }

    /// Adds a wait of an operation of an open run. Returns the outcome, if it goes to the run at once.
    pub(super) fn wait(
        &mut self,
        place: &Place,
        token: &PromiseToken,
        (run_id, handle): (RunId, Handle),
        (expires_at, types): (Option<Timestamp>, PromiseTypes),
        now: Timestamp,
    ) -> Option<Due> {
        let key = self.key(place, token.name());
        let known = self.0.get(&key).and_then(|row| row.outcome.clone());
        if let Some(outcome) = known.or_else(|| place.end()) {
            return Some(Due { run_id, handle, outcome });
        }
        let row = self.0.entry(key);
        let row = row.or_insert_with(|| PromiseRow::new(token.workflow(), now));
        row.expires_at = row.expires_at.or(expires_at);
        row.types.get_or_insert(types);
        row.expire(now);
        if let Some(outcome) = &row.outcome {
            return Some(Due { run_id, handle, outcome: outcome.clone() });
        }
        row.waits.insert((run_id, handle));
        None
    }

    /// Adds an item to a queue, unless the queue has one with the key. `waiting` gets the outcome. Returns whether the
    /// item is new, and the outcome, if it goes to the run at once.
    fn offer(
        &mut self,
        place: &Place,
        token: &PromiseToken,
        item: RunId,
        waiting: Option<(RunId, Handle)>,
        now: Timestamp,
    ) -> (bool, Option<Due>) {
        let (key, _) = place.keys(token.name());
        if self.0.get(&key).is_some_and(|row| row.is_over(now)) {
            self.0.remove(&key);
        }
        let row = self.0.entry(key);
        let row = row.or_insert_with(|| PromiseRow::new(token.workflow(), now));
        let is_new = row.item.is_none() && row.outcome.is_none();
        if is_new {
            row.item = Some(item);
        }
        let Some((run_id, handle)) = waiting else { return (is_new, None) };
        let due = row.outcome.clone().map(|outcome| Due { run_id, handle, outcome });
        if due.is_none() {
            row.waits.insert((run_id, handle));
        }
        (is_new, due)
    }

    /// Adds a failed item again. Runs that have received the failure do not get the new outcome. Returns whether there
    /// is no other item with the key.
    fn redrive(
        &mut self,
        place: &Place,
        token: &PromiseToken,
        item: RunId,
        now: Timestamp,
    ) -> bool {
        let (key, _) = place.keys(token.name());
        let row = self.0.entry(key);
        let row = row.or_insert_with(|| PromiseRow::new(token.workflow(), now));
        let is_free = match row.item {
            Some(known) if known == item => row.outcome.is_some(),
            Some(_) => row.is_over(now),
            None => row.outcome.is_none(),
        };
        if is_free {
            row.item = Some(item);
            (row.outcome, row.completion) = (None, None);
            (row.completed_at, row.kept_until) = (None, None);
        }
        is_free
    }

    /// Sets the outcome of an item, and how long it is kept.
    fn finish(
        &mut self,
        place: &Place,
        completion: &CompletePromise,
        retention: Duration,
        now: Timestamp,
    ) {
        self.complete(place, completion, now);
        if let Some(row) = self.0.get_mut(&place.keys(completion.token.name()).0) {
            row.kept_until = Some(now + retention);
        }
    }

    /// Removes the wait of an operation.
    pub(super) fn forget(&mut self, place: &Place, token: &PromiseToken, wait: (RunId, Handle)) {
        let key = self.key(place, token.name());
        if let Some(row) = self.0.get_mut(&key) {
            row.waits.remove(&wait);
            if !row.is_of_use() {
                self.0.remove(&key);
            }
        }
    }

    /// Completes a promise, unless it has an outcome or the value has to be checked.
    pub(super) fn complete_checked(
        &mut self,
        place: &Place,
        completion: &CompletePromise,
        now: Timestamp,
    ) -> CompletionOutcome {
        if let Place::Run { run_id, workflow, .. } = place
            && !completion.is_for(workflow)
        {
            return CompletionOutcome::OtherWorkflow(*run_id, workflow.clone());
        }
        let key = self.key(place, completion.token.name());
        let row = self.0.get(&key).filter(|row| row.outcome.is_none());
        let types = row.and_then(|row| row.types);
        match types.and_then(|types| completion.unchecked(types)) {
            Some(expected) if place.end().is_none() => CompletionOutcome::OtherType(expected),
            _ => self.complete(place, completion, now),
        }
    }

    /// Completes a promise, unless it has an outcome.
    fn complete(
        &mut self,
        place: &Place,
        completion: &CompletePromise,
        now: Timestamp,
    ) -> CompletionOutcome {
        let CompletePromise { token, outcome, completion, .. } = completion;
        let key = self.key(place, token.name());
        if let Some(row) = self.0.get_mut(&key) {
            row.expire(now);
            if let Some(known) = &row.outcome {
                return match row.completion == Some(*completion) {
                    true => CompletionOutcome::Completed,
                    false => CompletionOutcome::Already(known.clone()),
                };
            }
        }
        match place {
            Place::Nowhere(run_id) => return CompletionOutcome::Unknown(*run_id),
            Place::Run { run_id, is_open: false, .. } => {
                return CompletionOutcome::Closed(*run_id);
            }
            _ => {}
        }
        let row = self.0.entry(key);
        let row = row.or_insert_with(|| PromiseRow::new(token.workflow(), now));
        row.outcome = Some(outcome.clone());
        row.completion = Some(*completion);
        row.completed_at = Some(now);
        CompletionOutcome::Completed
    }

    /// Expires a promise if its time has passed, and takes the outcomes for the runs that `may` get them: the outcome
    /// of the promise, or that it has none because its run is closed. If the run with the workflow id exists by now,
    /// its promise takes over the waits.
    pub(super) fn settle(
        &mut self,
        place: &Place,
        name: &str,
        may: impl Fn(RunId) -> bool,
        now: Timestamp,
    ) -> Vec<Due> {
        let key = self.key(place, name);
        let Some(row) = self.0.get_mut(&key) else { return Vec::new() };
        row.expire(now);
        row.plan_look(place, now);
        let Some(outcome) = row.outcome.clone().or_else(|| place.end()) else { return Vec::new() };
        let (goes, stays) = row.waits.iter().copied().partition(|(run_id, _)| may(*run_id));
        row.waits = stays;
        if !row.is_of_use() || row.is_over(now) {
            self.0.remove(&key);
        }
        let goes: BTreeSet<(RunId, Handle)> = goes;
        let due = |(run_id, handle)| Due { run_id, handle, outcome: outcome.clone() };
        goes.into_iter().map(due).collect()
    }

    /// Whether there are waits for a promise that its closed run will never complete.
    pub(super) fn awaits_end(&self, place: &Place, name: &str) -> bool {
        let row = self.0.get(&place.keys(name).0);
        place.end().is_some() && row.is_some_and(|row| row.outcome.is_none() && row.is_awaited())
    }
}

/// The owner of the promise, whose closing must be reported to the wait; `None` if it is the waiting run itself.
pub(super) fn awaited_owner(key: &PromiseKey, waiting: RunId) -> Option<RunId> {
    match key.scope {
        PromiseScope::Run(owner) if owner != waiting => Some(owner),
        _ => None,
    }
}

/// A change of a promise that a run requests.
#[derive(Clone, Debug)]
pub(super) struct Ask {
    /// The run that requests it.
    pub(super) sender: RunId,
    pub(super) message: PromiseMessage,
}

impl Ask {
    pub(super) fn token(&self) -> &PromiseToken {
        match &self.message {
            PromiseMessage::Await { token, .. }
            | PromiseMessage::Forget { token, .. }
            | PromiseMessage::Complete { token, .. }
            | PromiseMessage::Offer { token, .. }
            | PromiseMessage::Finish { token, .. }
            | PromiseMessage::Redrive { token, .. } => token,
        }
    }

    /// Executes the request of a run. `is_open` says whether that run is open. Returns the outcome, if one goes to a
    /// run at once.
    pub(super) fn carry_out(
        &self,
        rows: &mut PromiseRows,
        place: &Place,
        is_open: bool,
        now: Timestamp,
        items: &mut Vec<NewItem>,
    ) -> Option<Due> {
        match &self.message {
            PromiseMessage::Offer { token, handle, item } => {
                let id = RunId::of_item(self.sender, *handle);
                let waiting = is_open.then_some((self.sender, *handle));
                let (is_new, due) = rows.offer(place, token, id, waiting, now);
                if is_new {
                    items.push(NewItem::of(id, token, item, 0));
                }
                due
            }
            PromiseMessage::Finish { token, outcome, retention } => {
                let completion = Uuid::nil();
                let (token, outcome) = (token.clone(), outcome.clone());
                let completion = CompletePromise::new(token, outcome, completion);
                rows.finish(place, &completion, *retention, now);
                None
            }
            PromiseMessage::Redrive { token, item, attempts } => {
                if rows.redrive(place, token, self.sender, now) {
                    items.push(NewItem::of(self.sender, token, item, *attempts));
                }
                None
            }
            PromiseMessage::Await { token, handle, expires_at, types } if is_open => {
                rows.wait(place, token, (self.sender, *handle), (*expires_at, *types), now)
            }
            PromiseMessage::Await { .. } => None,
            PromiseMessage::Forget { token, handle } => {
                rows.forget(place, token, (self.sender, *handle));
                None
            }
            PromiseMessage::Complete { token, outcome } => {
                // Its row in the outbox exists once, so it needs no id.
                let completion = Uuid::nil();
                let completion = CompletePromise::new(token.clone(), outcome.clone(), completion);
                rows.complete(place, &completion, now);
                None
            }
        }
    }
}

/// An activity that is put on a queue and belongs to no run.
#[derive(Clone, Debug)]
pub(super) struct NewItem {
    /// Used in place of a run id.
    pub(super) id: RunId,
    /// The key, and how long it is kept, if the item has a promise.
    pub(super) key: Option<(String, Duration)>,
    /// The number of earlier attempts.
    pub(super) attempts: u32,
    pub(super) activity: NewActivity,
}

impl NewItem {
    fn of(id: RunId, token: &PromiseToken, item: &QueueItem, attempts: u32) -> Self {
        let limits = ActivityLimits {
            schedule_to_start: item.schedule_to_start,
            start_to_close: item.start_to_close,
            heartbeat: item.heartbeat,
            close_by: item.close_by,
        };
        let activity = NewActivity {
            handle: ActivityKey::OF_ITEM,
            queue: token.queue().unwrap_or_default().to_owned(),
            activity: token.workflow().to_owned(),
            call: item.call.clone(),
            due_at: item.due_at,
            priority: item.priority,
            partition: item.partition.clone(),
            limits,
        };
        let key = Some((token.name().to_owned(), item.retention));
        Self { id, key, attempts, activity }
    }
}

/// The message of an ended item to its promise.
pub(super) fn finish_message(
    item: ActivityKey,
    token: PromiseToken,
    retention: Duration,
    outcome: OperationOutcome,
) -> (MessageKey, OutgoingMessage) {
    let message = PromiseMessage::Finish { token, outcome: outcome.into(), retention };
    let message = OutgoingMessage { to: String::new(), body: Message::Promise(Box::new(message)) };
    (MessageKey { run_id: item.run_id, seq: 0 }, message)
}

/// The message that puts a failed item on its queue again. It follows the message of its end.
pub(super) fn redrive_message(
    failed: ActivityKey,
    token: PromiseToken,
    item: QueueItem,
    attempts: u32,
) -> (MessageKey, OutgoingMessage) {
    let message = PromiseMessage::Redrive { token, item: Box::new(item), attempts };
    let message = OutgoingMessage { to: String::new(), body: Message::Promise(Box::new(message)) };
    (MessageKey { run_id: failed.run_id, seq: 1 }, message)
}

/// The text of a scope in a row.
pub(super) fn scope_text(scope: &PromiseScope) -> String {
    match scope {
        PromiseScope::Run(run_id) => format!("run:{}", run_id.as_uuid().simple()),
        PromiseScope::WorkflowId(workflow_id) => format!("id:{workflow_id}"),
        PromiseScope::Shared => "shared".to_owned(),
        PromiseScope::Queue(of) => {
            let ItemScope { queue, activity } = &**of;
            format!("queue:{}:{queue}:{activity}", queue.len())
        }
    }
}

/// The scope of a text in a row.
pub(super) fn read_scope(text: &str) -> Option<PromiseScope> {
    Some(match text.split_once(':') {
        Some(("run", run_id)) => PromiseScope::Run(run_id.parse().ok()?),
        Some(("id", workflow_id)) => PromiseScope::WorkflowId(workflow_id.to_owned()),
        Some(("queue", item)) => {
            // The length shows where the queue ends, since both names may have any characters.
            let (length, names) = item.split_once(':')?;
            let (queue, activity) = names.split_at_checked(length.parse().ok()?)?;
            let (queue, activity) = (queue.to_owned(), activity.strip_prefix(':')?.to_owned());
            PromiseScope::Queue(Box::new(ItemScope { queue, activity }))
        }
        None if text == "shared" => PromiseScope::Shared,
        _ => return None,
    })
}
