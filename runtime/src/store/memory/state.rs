//! The rows of the in-memory store.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};

use super::activities::ActivityRow;
use super::kin::KinRows;
use super::partitions::PartitionRow;
use super::schedules::ScheduleRow;
use super::workers::WorkerRow;
use super::{Guard, Held, Hook, Write, WriteCounts};
use crate::model::{
    AttributeMap, BlockedReason, DefinitionHash, Memo, OutgoingMessage, Payload, RunId, RunStatus,
    StepNo, Terms, Timestamp, UpdateReply, WorkerId,
};
use crate::store::promises::PromiseRows;
use crate::store::turns::Partitioned;
use crate::store::weight::{Answer, Weight as _};
use crate::store::{
    ActivityKey, Arrival, AuditEntry, ClaimedRun, DeadLetter, DeadLetterId, DefinitionRecord,
    Ending, FailedCall, FailedCallId, Inbox, MessageKey, PastState, Pause, PausedQueue, RunRecord,
    SchemaRecord, WorkerLease,
};

#[derive(Default)]
pub(super) struct State {
    pub(super) runs: BTreeMap<RunId, RunRow>,
    pub(super) activities: BTreeMap<ActivityKey, ActivityRow>,
    pub(super) definitions: BTreeMap<(String, u64), DefinitionRecord>,
    pub(super) schemas: BTreeMap<u64, SchemaRecord>,
    /// Past states of each run, newest first.
    pub(super) history: HashMap<RunId, Vec<PastState>>,
    pub(super) schedules: BTreeMap<String, ScheduleRow>,
    pub(super) audit: Vec<AuditEntry>,
    pub(super) counts: WriteCounts,
    pub(super) workers: BTreeMap<WorkerId, WorkerRow>,
    pub(super) workers_ever: i64,
    /// The outbox: messages, and when they were sent.
    pub(super) outbox: BTreeMap<MessageKey, (OutgoingMessage, Timestamp)>,
    pub(super) kin: KinRows,
    /// Answers to updates.
    pub(super) replies: HashMap<(RunId, String), UpdateReply>,
    pub(super) letters: BTreeMap<DeadLetterId, DeadLetter>,
    pub(super) letters_ever: i64,
    pub(super) failed_calls: BTreeMap<FailedCallId, FailedCall>,
    pub(super) failed_calls_ever: i64,
    /// What activities have written in transactions of their own.
    pub(super) notes: Vec<String>,
    /// What run ids are derived from: a seed and a counter.
    pub(super) run_ids: Option<(u32, u32)>,
    /// The guards that are off.
    pub(super) left_out: BTreeSet<Guard>,
    pub(super) promises: PromiseRows,
    /// The dedup keys of items of queues, which belong to no run.
    pub(super) item_keys: HashMap<RunId, HashSet<String>>,
    /// Paused runs and requested pauses, with the earlier due times of runs that have not begun.
    pub(super) pauses: BTreeMap<RunId, (Pause, Option<Timestamp>)>,
    /// Until when a worker serves a workflow.
    pub(super) attendance: BTreeMap<String, Timestamp>,
    pub(super) paused_queues: BTreeMap<String, PausedQueue>,
    pub(super) partitioned: BTreeMap<String, Partitioned>,
    /// Partitions by queue and name.
    pub(super) partitions: BTreeMap<(String, String), PartitionRow>,
    /// The open run of each workflow id.
    pub(super) open: HashMap<String, RunId>,
}

pub(super) struct RunRow {
    pub(super) snapshot: Vec<u8>,
    pub(super) status: RunStatus,
    pub(super) run_id: RunId,
    pub(super) workflow_id: String,
    pub(super) workflow: String,
    pub(super) arguments: Option<Payload>,
    pub(super) state: String,
    pub(super) definition: Option<DefinitionHash>,
    pub(super) step_no: StepNo,
    pub(super) owner: Option<WorkerLease>,
    pub(super) takeovers: u32,
    pub(super) due_at: Option<Timestamp>,
    pub(super) blocked: Option<BlockedReason>,
    pub(super) blocked_at: Option<Timestamp>,
    pub(super) started_at: Timestamp,
    pub(super) stepped_at: Option<Timestamp>,
    pub(super) closed_at: Option<Timestamp>,
    pub(super) result: Option<Payload>,
    pub(super) failure: Option<String>,
    pub(super) inbox: VecDeque<Arrival>,
    /// When the unread arrivals have arrived, by number.
    pub(super) arrived_at: BTreeMap<i64, Timestamp>,
    pub(super) inbox_count: i64,
    /// Whether it is a child, or it or an earlier run of its chain has started children.
    pub(super) has_kin: bool,
    /// The dedup keys of its arrivals, with the names of their signals and updates.
    pub(super) dedup_keys: HashMap<String, Option<String>>,
    pub(super) attributes: AttributeMap,
    pub(super) memo: Memo,
    pub(super) terms: Option<Box<Terms>>,
    /// The next deadline of its timeouts.
    pub(super) deadline_at: Option<Timestamp>,
}

/// The notifications of a transition: writes are reported at once, the rest at its end.
#[derive(Default)]
pub(super) struct News<'a> {
    pub(super) hook: Option<&'a dyn Hook>,
    pub(super) now: Timestamp,
    pub(super) arrivals: Vec<RunId>,
    /// Runs that were blocked, and closed runs with their endings.
    pub(super) settled: Vec<(RunId, Option<Ending>)>,
    pub(super) due: bool,
    /// Runs whose steps were committed.
    pub(super) changed: Vec<RunId>,
    pub(super) queues: BTreeSet<String>,
    pub(super) given_up: Vec<ActivityKey>,
    /// Runs for which a message was put into the outbox; reported in this process only.
    pub(super) sent: Vec<RunId>,
}

impl News<'_> {
    /// Whether there is nothing to report to other connections.
    pub(super) fn is_empty(&self) -> bool {
        let no_runs = self.arrivals.is_empty() && self.settled.is_empty() && !self.due;
        no_runs && self.queues.is_empty() && self.given_up.is_empty() && self.sent.is_empty()
    }

    pub(super) fn holds(&self, worker: WorkerLease, held: Held<'_>) {
        if let Some(hook) = self.hook {
            hook.holds(worker, held);
        }
    }

    pub(super) fn wrote(&self, write: Write<'_>) {
        if let Some(hook) = self.hook {
            hook.wrote(self.now, &write);
        }
    }
}

impl RunRow {
    pub(super) fn read_inbox(&self, after: i64, limit: u32, answer: &mut Answer) -> Inbox {
        let unread = self.inbox.iter().filter(|arrival| arrival.seq > after).take(limit as usize);
        let fitting = unread.clone().take_while(|arrival| answer.takes(arrival.kind.weight()));
        let arrivals: Vec<Arrival> = fitting.cloned().collect();
        let has_more = arrivals.len() < unread.count() || arrivals.len() == limit as usize;
        Inbox { arrivals, has_more }
    }

    pub(super) fn record(&self) -> RunRecord {
        RunRecord {
            run_id: self.run_id,
            workflow_id: self.workflow_id.clone(),
            workflow: self.workflow.clone(),
            status: self.status,
            state: self.state.clone(),
            definition: self.definition,
            step_no: self.step_no,
            owner: self.owner.map(|owner| owner.worker_id),
            due_at: self.due_at,
            blocked: self.blocked.clone(),
            blocked_at: self.blocked_at,
            started_at: self.started_at,
            stepped_at: self.stepped_at,
            closed_at: self.closed_at,
            result: self.result.clone(),
            failure: self.failure.clone(),
            attributes: self.attributes.clone(),
            memo: self.memo.clone(),
        }
    }

    pub(super) fn claimed(&self, inbox_limit: u32, inboxes: &mut Answer) -> ClaimedRun {
        ClaimedRun {
            run_id: self.run_id,
            workflow_id: self.workflow_id.clone(),
            workflow: self.workflow.clone(),
            step_no: self.step_no,
            snapshot: self.snapshot.clone(),
            takeovers: self.takeovers,
            inbox: self.read_inbox(0, inbox_limit, inboxes),
            inbox_count: self.inbox_count,
            has_terms: self.terms.is_some(),
        }
    }

    pub(super) fn tell_claim(&self, worker: WorkerLease, again: bool, news: &News<'_>) {
        let (run_id, step_no) = (self.run_id, self.step_no);
        news.wrote(Write::Claimed { run_id, step_no, worker, again });
    }

    pub(super) fn let_go(&mut self, due_at: Option<Timestamp>, news: &mut News<'_>) {
        self.owner = None;
        self.due_at = due_at;
        news.due |= due_at.is_some();
    }

    pub(super) fn ending(&self) -> Ending {
        let (result, failure) = (self.result.clone(), self.failure.clone());
        Ending { status: self.status, result, failure }
    }

    /// Takes the arrivals that move to this run's successor out of the inbox, with the times of their arrival.
    pub(super) fn left_over(&mut self) -> Vec<(Arrival, Option<Timestamp>)> {
        let left = std::mem::take(&mut self.inbox).into_iter();
        let left = left.filter(|arrival| arrival.kind.goes_over());
        left.map(|arrival| (self.arrived_at.get(&arrival.seq).copied(), arrival))
            .map(|(at, arrival)| (arrival, at))
            .collect()
    }

    /// Closes the run. Signals that it has not taken stay in its inbox.
    pub(super) fn close(&mut self, ending: Ending, now: Timestamp, news: &mut News<'_>) {
        news.settled.push((self.run_id, Some(ending.clone())));
        self.status = ending.status;
        (self.result, self.failure, self.closed_at) = (ending.result, ending.failure, Some(now));
        (self.owner, self.due_at) = (None, None);
        (self.blocked, self.blocked_at) = (None, None);
        self.inbox.retain(|arrival| arrival.kind.is_signal());
        let kept: HashSet<i64> = self.inbox.iter().map(|arrival| arrival.seq).collect();
        self.arrived_at.retain(|seq, _| kept.contains(seq));
    }
}
