//! The transitions of runs on the rows.

use crate::error::StoreError;
use crate::model::{RunId, RunStatus, StepNo, Timestamp};
use crate::store::effects::check;
use crate::store::memory::state::{News, RunRow, State};
use crate::store::memory::{Guard, Held, Write};
use crate::store::weight::Answer;
use crate::store::{
    Arrival, ClaimRequest, Claimed, ClaimedRun, CommitOutcome, CommitStep, Disposition, Effect,
    Ending, FirstArrival, NewRun, ReviewedRuns, StartOutcome, WorkerLease,
};

impl State {
    pub(in crate::store::memory) fn start_run(
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
        let (kinds, keys): (Vec<_>, Vec<_>) = first
            .map(|FirstArrival { kind, dedup_key }| {
                let name = kind.name().map(str::to_owned);
                (kind, dedup_key.map(|key| (key, name)))
            })
            .unzip();
        self.counts.arrivals += kinds.len() as u64;
        for kind in &kinds {
            news.wrote(Write::Arrived { run_id, seq: 1, kind });
        }
        if run.terms.as_ref().is_some_and(|terms| terms.goes_by_attendance()) {
            self.attendance.entry(run.workflow.clone()).or_insert(now);
        }
        self.runs.insert(
            run.run_id,
            RunRow {
                snapshot: run.snapshot,
                status: RunStatus::Running,
                run_id: run.run_id,
                workflow_id: run.workflow_id,
                workflow: run.workflow,
                arguments: Some(run.arguments),
                state: run.state,
                definition: Some(run.definition),
                step_no: StepNo(0),
                owner,
                takeovers: 0,
                due_at,
                blocked: None,
                blocked_at: None,
                started_at: now,
                stepped_at: None,
                closed_at: None,
                result: None,
                failure: None,
                inbox_count: kinds.len() as i64,
                has_kin: false,
                arrived_at: (1..).zip(&kinds).map(|(seq, _)| (seq, now)).collect(),
                inbox: kinds.into_iter().map(|kind| Arrival { seq: 1, kind }).collect(),
                dedup_keys: keys.into_iter().flatten().collect(),
                attributes: run.attributes,
                memo: run.memo,
                deadline_at: run.terms.as_ref().and_then(|terms| terms.deadline()),
                terms: run.terms,
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

    pub(super) fn review_runs(
        &self,
        worker: WorkerLease,
        held: &[(RunId, i64)],
        news: &News<'_>,
    ) -> ReviewedRuns {
        news.holds(worker, Held::Runs(held));
        let mut reviewed = ReviewedRuns::default();
        for (run_id, read) in held {
            match self.runs.get(run_id).filter(|row| row.owner == Some(worker)) {
                None => reviewed.lost.push(*run_id),
                Some(row) if row.inbox_count > *read => reviewed.unread.push(*run_id),
                Some(_) => {}
            }
        }
        reviewed
    }

    pub(super) fn commit_steps(
        &mut self,
        worker: WorkerLease,
        steps: Vec<CommitStep>,
        now: Timestamp,
        news: &mut News<'_>,
    ) -> Result<Vec<CommitOutcome>, StoreError> {
        self.check(worker, now)?;
        check(&steps.iter().collect::<Vec<_>>())?;
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
        if !is_next {
            news.wrote(Write::Refused { worker, step: &step });
            return CommitOutcome::Lost;
        }
        news.wrote(Write::Committed { worker, step: &step });
        news.changed.push(step.run_id);
        if let Some(kept) = step.kept_state() {
            self.keep(kept, now);
        }
        let pauses = step.effects.contains(&Effect::Pause);
        // Before the inbox is emptied, because an arrival may be moved to the dead letters.
        self.take_effects(step.run_id, step.expected, step.effects, now, news);
        let Some(row) = self.runs.get_mut(&step.run_id) else { return CommitOutcome::Lost };
        self.counts.step_updates += 1;
        row.step_no = row.step_no.next();
        row.stepped_at = Some(now);
        if !matches!(step.disposition, Disposition::Block { .. }) {
            row.takeovers = 0;
        }
        row.definition = step.definition.or(row.definition);
        row.inbox.retain(|arrival| stays || !step.consumed.contains(&arrival.seq));
        row.arrived_at.retain(|seq, _| stays || !step.consumed.contains(seq));
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
            Disposition::Close { status, result, failure, successor } => {
                let left = if successor.is_some() { row.left_over() } else { Vec::new() };
                if status == RunStatus::Completed {
                    row.snapshot = step.last_snapshot.unwrap_or_default();
                }
                row.close(Ending { status, result, failure }, now, news);
                self.open.remove(&row.workflow_id);
                match successor {
                    Some(successor) => self.follow(step.run_id, *successor, left, now, news),
                    None => self.tell_close(step.run_id, now, news),
                }
            }
            Disposition::Block { reason } => {
                row.status = RunStatus::Blocked;
                (row.blocked, row.blocked_at) = (Some(reason), Some(now));
                row.let_go(None, news);
                news.settled.push((step.run_id, None));
            }
        }
        if pauses {
            self.hold(step.run_id, news);
        }
        CommitOutcome::Committed
    }

    pub(in crate::store::memory) fn terminate_run(
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
        self.tell_close(run_id, now, news);
        news.wrote(Write::Terminated { run_id });
        true
    }
}
