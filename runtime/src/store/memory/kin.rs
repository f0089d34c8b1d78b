//! Chains, parents and children, and waits for children.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::state::{News, RunRow, State};
use super::{Guard, Write};
use crate::machine::OperationOutcome;
use crate::model::{
    ChildEnd, ChildStart, Handle, Link, Message, OutgoingMessage, ParentClose, RunId, StepNo,
    Timestamp,
};
use crate::store::{
    Arrival, ArrivalKind, AwaitedChild, ChainEntry, ChildRecord, Kin, LastRun, MessageKey,
    NewArrival, NewRun, StartOutcome, Successor, reason_of_parent_close,
};

/// The relations between runs.
#[derive(Default)]
pub(super) struct KinRows {
    /// Successors by run.
    chains: BTreeMap<RunId, ChainRow>,
    /// The latest run of each chain of more than one run.
    last: HashMap<RunId, RunId>,
    children: BTreeMap<RunId, ChildRow>,
    /// Children, with the waits for them.
    waits: BTreeSet<(RunId, RunId, Handle)>,
}

struct ChainRow {
    first: RunId,
    place: u64,
    previous: RunId,
    link: Link,
}

struct ChildRow {
    parent: RunId,
    parent_chain: RunId,
    workflow_id: String,
    policy: ParentClose,
    /// Whether the policy still has to be applied.
    is_attached: bool,
    /// Whether it is also applied when another run follows the parent.
    ends_with_run: bool,
    /// The run that had its workflow id, if it was not started because of that.
    taken_by: Option<RunId>,
}

impl ChildRow {
    /// Whether the policy still has to be applied when this run closes, even if another one follows it.
    fn ends_with(&self, run_id: RunId) -> bool {
        self.is_attached && self.ends_with_run && self.parent == run_id
    }
}

/// The result of processing a message that goes to no inbox.
pub(super) enum Carried {
    /// The message is processed.
    Out,
    /// A part of the work is left.
    InPart,
}

impl State {
    /// The first run of a run's chain.
    pub(super) fn first_of(&self, run_id: RunId) -> RunId {
        self.kin.chains.get(&run_id).map_or(run_id, |row| row.first)
    }

    fn last_of(&self, first: RunId) -> RunId {
        self.kin.last.get(&first).copied().unwrap_or(first)
    }

    /// Whether a message of an earlier run of the chain is still in the outbox.
    pub(super) fn waits_for_predecessors(&self, sender: RunId) -> bool {
        let Some(row) = self.kin.chains.get(&sender) else { return false };
        let first = MessageKey { run_id: row.previous, seq: i64::MIN };
        let last = MessageKey { run_id: row.previous, seq: i64::MAX };
        self.outbox.range(first..=last).next().is_some()
    }

    /// Writes the message that a run has closed, if other runs depend on its end.
    pub(super) fn tell_close(&mut self, run_id: RunId, now: Timestamp, news: &mut News<'_>) {
        let Some(row) = self.runs.get(&run_id).filter(|row| row.has_kin) else { return };
        let key = MessageKey::of_close(run_id, row.step_no);
        self.send_close(key, now, news);
    }

    /// The same for a run with a successor: only waits for its promises, and children that end with it, depend on its
    /// end. A message that is still in the outbox may start such a child.
    fn tell_close_of_followed(&mut self, run_id: RunId, now: Timestamp, news: &mut News<'_>) {
        let first = MessageKey { run_id, seq: i64::MIN };
        let last = MessageKey { run_id, seq: i64::MAX };
        if !self.awaited_of(run_id).is_empty()
            || self.kin.children.values().any(|row| row.ends_with(run_id))
            || self.outbox.range(first..=last).next().is_some()
        {
            self.tell_close(run_id, now, news);
        }
    }

    fn send_close(&mut self, key: MessageKey, now: Timestamp, news: &mut News<'_>) {
        news.sent.push(key.run_id);
        let message = OutgoingMessage { to: String::new(), body: Message::Closed };
        self.outbox.entry(key).or_insert((message, now));
    }

    /// Starts the successor of a run that has just closed, with `left` in its inbox.
    pub(super) fn follow(
        &mut self,
        closed: RunId,
        successor: Successor,
        left: Vec<(Arrival, Option<Timestamp>)>,
        now: Timestamp,
        news: &mut News<'_>,
    ) {
        let Successor { run, link } = successor;
        let run = NewRun { owner: None, first: None, ..run };
        let next = run.run_id;
        self.start_run(run, now, news);
        let (has_kin, keys, attributes, memo) = match self.runs.get(&closed) {
            Some(row) => {
                let keys = row.dedup_keys.clone();
                (row.has_kin, keys, row.attributes.clone(), row.memo.clone())
            }
            None => Default::default(),
        };
        if let Some(row) = self.runs.get_mut(&next) {
            (row.has_kin, row.dedup_keys) = (has_kin, keys);
            (row.attributes, row.memo) = (attributes, memo);
            for (seq, (arrival, arrived_at)) in (1..).zip(left) {
                news.wrote(Write::Arrived { run_id: next, seq, kind: &arrival.kind });
                row.arrived_at.extend(arrived_at.map(|at| (seq, at)));
                row.inbox.push_back(Arrival { seq, kind: arrival.kind });
                row.inbox_count = seq;
            }
        }
        let (first, before) = match self.kin.chains.get(&closed) {
            Some(row) => (row.first, row.place),
            None => (closed, 0),
        };
        let row = ChainRow { first, place: before + 1, previous: closed, link };
        self.kin.chains.insert(next, row);
        self.kin.last.insert(first, next);
        if let Some((pause, _)) = self.pauses.remove(&closed) {
            let due_at = self.runs.get(&next).and_then(|row| row.due_at);
            self.pauses.insert(next, (pause, due_at));
            self.hold(next, news);
        }
        self.tell_close_of_followed(closed, now, news);
    }

    /// Starts a child, unless that was done before.
    pub(super) fn start_child(
        &mut self,
        key: MessageKey,
        workflow_id: String,
        start: ChildStart,
        now: Timestamp,
        news: &mut News<'_>,
    ) {
        let child = start.run_id;
        if !self.guard(Guard::RunId, !self.kin.children.contains_key(&child)) {
            return;
        }
        let policy = start.on_parent_close;
        let awaited_by = start.awaited_by;
        let ends_with_run = start.ends_with_run();
        let run = NewRun::of_child(workflow_id.clone(), start, now);
        let taken_by = match self.start_run(run, now, news) {
            StartOutcome::IdTaken { run_id } => Some(run_id),
            StartOutcome::Started { .. } | StartOutcome::Repeated | StartOutcome::IdUsed { .. } => {
                None
            }
        };
        if let Some(row) = self.runs.get_mut(&child) {
            row.has_kin = true;
        }
        let row = ChildRow {
            parent: key.run_id,
            parent_chain: self.first_of(key.run_id),
            workflow_id,
            policy,
            is_attached: taken_by.is_none() && policy != ParentClose::Abandon,
            ends_with_run,
            taken_by,
        };
        self.kin.children.insert(child, row);
        if let Some(handle) = awaited_by {
            self.await_child(key.run_id, AwaitedChild { child, handle }, now, news);
        }
    }

    /// Registers a run's wait for a child. If the child has closed, its end is sent once more.
    pub(super) fn await_child(
        &mut self,
        waiting: RunId,
        awaited: AwaitedChild,
        now: Timestamp,
        news: &mut News<'_>,
    ) {
        let AwaitedChild { child, handle } = awaited;
        self.kin.waits.insert((child, waiting, handle));
        let last = self.last_of(child);
        let step_no = match self.runs.get(&last) {
            Some(row) if row.status.is_open() => return,
            Some(row) => row.step_no,
            None => StepNo(0),
        };
        self.send_close(MessageKey::of_close(last, step_no), now, news);
    }

    /// Reports the end of a run to waiting parents, and processes its children; at most `limit` of both.
    pub(super) fn carry_out_close(
        &mut self,
        closed: RunId,
        limit: usize,
        now: Timestamp,
        news: &mut News<'_>,
    ) -> Carried {
        self.end_promises(closed, now, news);
        let chain = self.first_of(closed);
        let end = match self.runs.get(&closed) {
            // It was reopened.
            Some(row) if row.status.is_open() => return Carried::Out,
            Some(_) if self.last_of(chain) != closed => {
                let children = self.attached(limit, |row| row.ends_with(closed));
                return self.close_children(children, limit, now, news);
            }
            Some(row) => {
                let ending = row.ending();
                let (status, result, failure) = (ending.status, ending.result, ending.failure);
                ChildEnd::Closed { status, result, failure }
            }
            None => match self.kin.children.get(&closed).and_then(|row| row.taken_by) {
                Some(run_id) => ChildEnd::IdTaken { run_id },
                None => ChildEnd::Unknown,
            },
        };
        let first = (chain, RunId::from(uuid::Uuid::nil()), Handle(0));
        let last = (chain, RunId::from(uuid::Uuid::max()), Handle(u64::MAX));
        let waits: Vec<_> = self.kin.waits.range(first..=last).copied().take(limit).collect();
        let stays = self.lacks(Guard::ChildWait);
        for wait in &waits {
            if !stays {
                self.kin.waits.remove(wait);
            }
            let (_, run_id, handle) = *wait;
            let outcome = OperationOutcome::Child(Box::new(end.clone()));
            let kind = ArrivalKind::Outcome { handle, outcome };
            self.deliver(NewArrival { run_id, kind, dedup_key: None, owner: None }, now, news);
        }
        let children = self.attached(limit, |row| row.parent_chain == chain && row.is_attached);
        match self.close_children(children, limit, now, news) {
            Carried::Out if waits.len() < limit => Carried::Out,
            Carried::Out | Carried::InPart => Carried::InPart,
        }
    }

    fn attached(&self, limit: usize, is_due: impl Fn(&ChildRow) -> bool) -> Vec<RunId> {
        let due = self.kin.children.iter().filter(|(_, row)| is_due(row));
        due.map(|(child, _)| *child).take(limit).collect()
    }

    /// Applies their policies to at most `limit` children.
    fn close_children(
        &mut self,
        children: Vec<RunId>,
        limit: usize,
        now: Timestamp,
        news: &mut News<'_>,
    ) -> Carried {
        let is_whole = children.len() < limit;
        let is_left = self.lacks(Guard::Attached);
        for child in children {
            let Some(row) = self.kin.children.get_mut(&child) else { continue };
            row.is_attached = false;
            if is_left {
                continue;
            }
            let (policy, reason) = (row.policy, reason_of_parent_close(row.parent));
            let run_id = self.last_of(child);
            match policy {
                ParentClose::Terminate => {
                    if self.runs.get(&run_id).is_some_and(|row| row.status.is_open()) {
                        self.terminate_run(run_id, &reason, now, news);
                    }
                }
                ParentClose::RequestCancel => {
                    let kind = ArrivalKind::Cancel { reason };
                    let cancel = NewArrival { run_id, kind, dedup_key: None, owner: None };
                    self.deliver(cancel, now, news);
                }
                ParentClose::Abandon => {}
            }
        }
        if is_whole { Carried::Out } else { Carried::InPart }
    }

    /// Whether it is a child of a run that is open or has a successor.
    pub(super) fn has_open_parent(&self, run_id: RunId) -> bool {
        let Some(child) = self.kin.children.get(&self.first_of(run_id)) else { return false };
        let parent = self.runs.get(&self.last_of(child.parent_chain));
        parent.is_some_and(|row| row.status.is_open())
    }

    /// Removes the relations of a removed run. When the whole chain is gone, also removes the row by which it is a
    /// child, and those of its own children, except those whose policies still have to be applied.
    pub(super) fn remove_kin(&mut self, run_id: RunId) {
        let chain = self.first_of(run_id);
        self.kin.chains.remove(&run_id);
        self.kin.waits.retain(|(_, waiting, _)| *waiting != run_id);
        let is_gone = !self.runs.contains_key(&chain)
            && self.kin.chains.values().all(|row| row.first != chain);
        if is_gone {
            self.kin.last.remove(&chain);
            self.kin.children.remove(&chain);
            self.kin.children.retain(|_, row| row.parent_chain != chain || row.is_attached);
        }
    }

    pub(super) fn find_kin(&self, run_id: RunId) -> Option<Kin> {
        self.runs.get(&run_id)?;
        let link = self.kin.chains.get(&run_id);
        let first_run_id = self.first_of(run_id);
        let next = self.kin.chains.iter().find(|(_, row)| row.previous == run_id);
        let parent = self.kin.children.get(&first_run_id);
        let children = self.kin.children.values();
        Some(Kin {
            first_run_id,
            previous_run_id: link.map(|row| row.previous),
            link: link.map(|row| row.link),
            next_run_id: next.map(|(next, _)| *next),
            parent: parent.map(|row| (row.parent, row.policy)),
            ends_with_run: parent.is_some_and(|row| row.ends_with_run),
            child_count: children.filter(|row| row.parent_chain == first_run_id).count() as u64,
        })
    }

    pub(super) fn find_last_run(&self, first: RunId) -> Option<LastRun> {
        let row = self.runs.get(&self.last_of(first))?;
        Some(LastRun { run_id: row.run_id, status: row.status, closed_at: row.closed_at })
    }

    pub(super) fn list_chain(
        &self,
        first: RunId,
        after: Option<u64>,
        limit: u32,
    ) -> Vec<ChainEntry> {
        let following = self.kin.chains.iter().filter(|(_, row)| row.first == first);
        let following = following.map(|(run_id, row)| (row.place, *run_id, Some(row.link)));
        let mut places: Vec<_> = std::iter::once((0, first, None)).chain(following).collect();
        places.sort_by_key(|(place, ..)| *place);
        let behind =
            places.into_iter().filter(|(place, ..)| after.is_none_or(|after| *place > after));
        let entry = |(place, run_id, link)| {
            let row: &RunRow = self.runs.get(&run_id)?;
            Some(ChainEntry {
                run_id,
                workflow: row.workflow.clone(),
                place,
                link,
                status: row.status,
                started_at: row.started_at,
                closed_at: row.closed_at,
            })
        };
        behind.filter_map(entry).take(limit as usize).collect()
    }

    pub(super) fn list_children(
        &self,
        chain: RunId,
        after: Option<RunId>,
        limit: u32,
    ) -> Vec<ChildRecord> {
        let children = self.kin.children.iter().filter(|(_, row)| row.parent_chain == chain);
        let behind = children.filter(|(child, _)| after.is_none_or(|after| **child > after));
        let record = |(child, row): (&RunId, &ChildRow)| {
            let run = self.runs.get(&self.last_of(*child));
            ChildRecord {
                child: *child,
                workflow_id: row.workflow_id.clone(),
                parent: row.parent,
                on_parent_close: row.policy,
                ends_with_run: row.ends_with_run,
                run_id: run.map(|run| run.run_id),
                status: run.map(|run| run.status),
            }
        };
        behind.map(record).take(limit as usize).collect()
    }
}
