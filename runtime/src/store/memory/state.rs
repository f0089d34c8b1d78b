//! The rows of the in-memory store and the transitions over them.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};

use super::activities::ActivityRow;
use super::workers::WorkerRow;
use super::{Guard, Held, Hook, Write, WriteCounts};
use crate::error::StoreError;
use crate::model::{BlockedReason, Payload, RunId, RunStatus, StepNo, Timestamp, WorkerId};
use crate::store::weight::{Answer, Weight as _};
use crate::store::{
    ActivityKey, Arrival, ArrivalOutcome, ClaimRequest, Claimed, ClaimedRun, CommitOutcome,
    CommitStep, DefinitionRecord, Disposition, Ending, Inbox, NewArrival, NewRun, RunRecord,
    StartOutcome, WorkerLease,
};

#[derive(Default)]
pub(super) struct State {
    pub(super) runs: BTreeMap<RunId, RunRow>,
    pub(super) activities: BTreeMap<ActivityKey, ActivityRow>,
    pub(super) definitions: HashMap<(String, u64), DefinitionRecord>,
    pub(super) counts: WriteCounts,
    pub(super) workers: BTreeMap<WorkerId, WorkerRow>,
    pub(super) workers_ever: i64,
    /// What activities have written in transactions of their own.
    pub(super) notes: Vec<String>,
    /// What ids of runs are derived from: a seed, and how many there were.
    pub(super) run_ids: Option<(u32, u32)>,
    /// What it does without.
    pub(super) left_out: BTreeSet<Guard>,
    /// The open run of each workflow id.
    pub(super) open: HashMap<String, RunId>,
}

pub(super) struct RunRow {
    pub(super) snapshot: Vec<u8>,
    pub(super) status: RunStatus,
    pub(super) run_id: RunId,
    pub(super) workflow_id: String,
    pub(super) workflow: String,
    state: String,
    pub(super) step_no: StepNo,
    pub(super) owner: Option<WorkerLease>,
    pub(super) takeovers: u32,
    due_at: Option<Timestamp>,
    pub(super) blocked: Option<BlockedReason>,
    pub(super) started_at: Timestamp,
    closed_at: Option<Timestamp>,
    result: Option<Payload>,
    failure: Option<String>,
    inbox: VecDeque<Arrival>,
    pub(super) inbox_count: i64,
    dedup_keys: HashSet<String>,
}

/// What a transition has to tell: of each write at once, and the rest once it is done.
#[derive(Default)]
pub(super) struct News<'a> {
    pub(super) hook: Option<&'a dyn Hook>,
    pub(super) now: Timestamp,
    pub(super) arrivals: Vec<RunId>,
    /// Runs that are blocked, and those that have closed with how.
    pub(super) settled: Vec<(RunId, Option<Ending>)>,
    pub(super) due: bool,
    pub(super) queues: BTreeSet<String>,
    pub(super) given_up: Vec<ActivityKey>,
}

impl News<'_> {
    /// Whether there is nothing to tell other connections.
    pub(super) fn is_empty(&self) -> bool {
        let no_runs = self.arrivals.is_empty() && self.settled.is_empty() && !self.due;
        no_runs && self.queues.is_empty() && self.given_up.is_empty()
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
            step_no: self.step_no,
            owner: self.owner.map(|owner| owner.worker_id),
            due_at: self.due_at,
            blocked: self.blocked.clone(),
            started_at: self.started_at,
            closed_at: self.closed_at,
            result: self.result.clone(),
            failure: self.failure.clone(),
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

    fn close(&mut self, ending: Ending, now: Timestamp, news: &mut News<'_>) {
        news.settled.push((self.run_id, Some(ending.clone())));
        self.status = ending.status;
        (self.result, self.failure, self.closed_at) = (ending.result, ending.failure, Some(now));
        (self.owner, self.due_at, self.blocked) = (None, None, None);
        self.inbox.clear();
    }
}

impl State {
    pub(super) fn start_run(
        &mut self,
        run: NewRun,
        now: Timestamp,
        news: &mut News<'_>,
    ) -> StartOutcome {
        if !self.guard(Guard::RunId, !self.runs.contains_key(&run.run_id)) {
            return StartOutcome::Repeated;
        }
        if let Some(run_id) = self.open.get(&run.workflow_id)
            && !self.lacks(Guard::WorkflowId)
        {
            return StartOutcome::IdTaken { run_id: *run_id };
        }
        let owner = run.owner.filter(|owner| self.is_valid(*owner, now));
        let due_at = owner.is_none().then_some(run.start_at.unwrap_or(now));
        news.due |= due_at.is_some();
        self.counts.transactions += 1;
        self.counts.run_inserts += 1;
        self.open.insert(run.workflow_id.clone(), run.run_id);
        let (run_id, workflow) = (run.run_id, run.workflow.as_str());
        let workflow_id = run.workflow_id.as_str();
        news.wrote(Write::Started { run_id, workflow_id, workflow, owner });
        let first = run.first.into_iter();
        let (kinds, keys): (Vec<_>, Vec<_>) =
            first.map(|first| (first.kind, first.dedup_key)).unzip();
        self.counts.arrivals += kinds.len() as u64;
        for kind in &kinds {
            news.wrote(Write::Arrived { run_id, seq: 1, kind });
        }
        self.runs.insert(
            run.run_id,
            RunRow {
                snapshot: run.snapshot,
                status: RunStatus::Running,
                run_id: run.run_id,
                workflow_id: run.workflow_id,
                workflow: run.workflow,
                state: run.state,
                step_no: StepNo(0),
                owner,
                takeovers: 0,
                due_at,
                blocked: None,
                started_at: now,
                closed_at: None,
                result: None,
                failure: None,
                inbox_count: kinds.len() as i64,
                inbox: kinds.into_iter().map(|kind| Arrival { seq: 1, kind }).collect(),
                dedup_keys: keys.into_iter().flatten().collect(),
            },
        );
        StartOutcome::Started { owned: owner.is_some() }
    }

    pub(super) fn claim_runs(
        &mut self,
        request: ClaimRequest<'_>,
        now: Timestamp,
        news: &mut News<'_>,
    ) -> Result<Claimed, StoreError> {
        self.check(request.worker, now)?;
        let stays_due = self.lacks(Guard::Claim);
        let mut waiting: Vec<_> = self
            .runs
            .values_mut()
            .filter(|row| request.workflows.contains(&row.workflow.as_str()))
            .filter_map(|row| Some((row.due_at?, row)))
            .collect();
        waiting.sort_by_key(|(due_at, row)| (*due_at, row.run_id));
        let mut claimed = Claimed { now, ..Claimed::default() };
        let (mut snapshots, mut inboxes) = (Answer::default(), Answer::default());
        for (due_at, row) in waiting {
            let has_room = due_at <= now && claimed.runs.len() < request.limit as usize;
            if !has_room || !snapshots.takes(row.snapshot.len()) {
                claimed.next_due_at = Some(due_at);
                break;
            }
            row.owner = Some(request.worker);
            row.due_at = row.due_at.filter(|_| stays_due);
            row.tell_claim(request.worker, false, news);
            claimed.runs.push(row.claimed(request.inbox_limit, &mut inboxes));
        }
        self.counts.transactions += u64::from(!claimed.runs.is_empty());
        Ok(claimed)
    }

    pub(super) fn recover_claims(
        &self,
        worker: WorkerLease,
        held: &[RunId],
        inbox_limit: u32,
        now: Timestamp,
        news: &mut News<'_>,
    ) -> Result<Vec<ClaimedRun>, StoreError> {
        self.check(worker, now)?;
        let stray = self
            .runs
            .values()
            .filter(|row| row.owner == Some(worker) && !held.contains(&row.run_id));
        let mut snapshots = Answer::default();
        let stray = stray.take_while(|row| snapshots.takes(row.snapshot.len()));
        let stray = stray.inspect(|row| row.tell_claim(worker, true, news));
        let mut inboxes = Answer::default();
        Ok(stray.map(|row| row.claimed(inbox_limit, &mut inboxes)).collect())
    }

    pub(super) fn commit_steps(
        &mut self,
        worker: WorkerLease,
        steps: Vec<CommitStep>,
        now: Timestamp,
        news: &mut News<'_>,
    ) -> Result<Vec<CommitOutcome>, StoreError> {
        self.check(worker, now)?;
        self.counts.transactions += 1;
        Ok(steps.into_iter().map(|step| self.commit_step(worker, step, now, news)).collect())
    }

    fn commit_step(
        &mut self,
        worker: WorkerLease,
        step: CommitStep,
        now: Timestamp,
        news: &mut News<'_>,
    ) -> CommitOutcome {
        let is_next = self.runs.get(&step.run_id).is_some_and(|row| {
            self.guard(Guard::Owner, row.owner == Some(worker))
                && self.guard(Guard::StepNo, row.step_no == step.expected)
        });
        let stays_unread = self.lacks(Guard::Unread);
        let stays = self.lacks(Guard::Consumed);
        let row = match self.runs.get_mut(&step.run_id) {
            Some(row) if is_next => row,
            _ => {
                news.wrote(Write::Refused { worker, step: &step });
                return CommitOutcome::Lost;
            }
        };
        news.wrote(Write::Committed { worker, step: &step });
        self.counts.step_updates += 1;
        row.step_no = row.step_no.next();
        if !matches!(step.disposition, Disposition::Block { .. }) {
            row.takeovers = 0;
        }
        row.inbox.retain(|arrival| stays || !step.consumed.contains(&arrival.seq));
        match step.disposition {
            Disposition::Keep { snapshot, state } => {
                (row.snapshot, row.state) = (snapshot, state.into_owned());
            }
            Disposition::Park { snapshot, state, due_at, inbox_read } => {
                (row.snapshot, row.state) = (snapshot, state.into_owned());
                let has_unread = row.inbox_count > inbox_read && !stays_unread;
                let unread = has_unread.then_some(now);
                let due_at = unread.into_iter().chain(due_at).min();
                row.let_go(due_at, news);
            }
            Disposition::Close { status, result, failure } => {
                row.close(Ending { status, result, failure }, now, news);
                self.open.remove(&row.workflow_id);
            }
            Disposition::Block { reason } => {
                row.status = RunStatus::Blocked;
                row.blocked = Some(reason);
                row.let_go(None, news);
                news.settled.push((step.run_id, None));
            }
        }
        for handle in step.given_up {
            self.give_up(ActivityKey { run_id: step.run_id, handle }, news);
        }
        for activity in step.activities {
            self.put_on_queue(step.run_id, activity, now, news);
        }
        CommitOutcome::Committed
    }

    pub(super) fn has_key(&self, run_id: RunId, key: &str) -> bool {
        self.runs.get(&run_id).is_some_and(|row| row.dedup_keys.contains(key))
    }

    pub(super) fn add_key(&mut self, run_id: RunId, key: String) {
        if let Some(row) = self.runs.get_mut(&run_id) {
            row.dedup_keys.insert(key);
        }
    }

    pub(super) fn deliver(
        &mut self,
        arrival: NewArrival,
        now: Timestamp,
        news: &mut News<'_>,
    ) -> ArrivalOutcome {
        let valid = arrival.owner.is_none_or(|owner| self.is_valid(owner, now));
        let may_repeat = self.lacks(Guard::DedupKey);
        let Some(row) = self.runs.get_mut(&arrival.run_id) else { return ArrivalOutcome::Unknown };
        if !may_repeat && arrival.dedup_key.as_ref().is_some_and(|key| row.dedup_keys.contains(key))
        {
            return ArrivalOutcome::Duplicate;
        }
        if !row.status.is_open() {
            return ArrivalOutcome::Closed;
        }
        if !valid || arrival.owner.is_some_and(|owner| row.owner != Some(owner)) {
            return ArrivalOutcome::NotOwner;
        }
        row.dedup_keys.extend(arrival.dedup_key);
        self.counts.arrivals += 1;
        row.inbox_count += 1;
        let seq = row.inbox_count;
        news.wrote(Write::Arrived { run_id: arrival.run_id, seq, kind: &arrival.kind });
        row.inbox.push_back(Arrival { seq, kind: arrival.kind });
        if row.owner.is_none() && row.status == RunStatus::Running {
            row.let_go(Some(row.due_at.map_or(now, |due_at| due_at.min(now))), news);
        }
        if arrival.owner.is_none() {
            news.arrivals.push(arrival.run_id);
        }
        ArrivalOutcome::Accepted { seq }
    }

    pub(super) fn terminate_run(
        &mut self,
        run_id: RunId,
        reason: &str,
        now: Timestamp,
        news: &mut News<'_>,
    ) -> bool {
        let Some(row) = self.runs.get_mut(&run_id) else { return false };
        let ending = Ending::terminated(reason);
        if !row.status.is_open() {
            return row.ending() == ending;
        }
        row.close(ending, now, news);
        self.open.remove(&row.workflow_id);
        self.counts.transactions += 1;
        self.give_up_all(run_id, news);
        news.wrote(Write::Terminated { run_id });
        true
    }
}
