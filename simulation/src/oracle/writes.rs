//! The checks of writes: the oracle's records of leases, owners, step numbers and inboxes.

use std::time::Duration;

use piton::machine::{OperationOutcome, Workflow};
use piton::model::{BlockedReason, Operation, RunId, RunStatus, Timestamp};
use piton::store::memory::Write;
use piton::store::{
    ActivityEnd, ActivityKey, ArrivalKind, CommitStep, Disposition, Reporter, WorkerLease,
};
use tokio::time::Instant;

use super::builds::Readers;
use super::{Oracle, Run, key_of};
use crate::runs::is_numbered;
use crate::workflows::{BROKEN, cancellable, effort, hasty, linger, tick};

/// The maximum time for which a worker that shuts down in order keeps attempts that it does not begin: a few calls.
const AT_ONCE: Duration = Duration::from_secs(1);

impl Oracle {
    /// Checks a write of the process `who` at the time `now` of the database.
    pub(crate) fn wrote(&mut self, who: &str, now: Timestamp, write: &Write<'_>) {
        match *write {
            Write::Leased { worker, until } => {
                let runs_out_at = Instant::now() + until.saturating_since(now);
                self.processes.insert(who.to_owned(), (worker, runs_out_at));
            }
            Write::Claimed { run_id, worker, again: false, .. } => {
                if let Some(own) = self.passed_over(who, worker, run_id) {
                    self.violate(format!("{who} takes {run_id}, and owns {own} without knowing"));
                }
            }
            _ => {}
        }
        self.enter(who, now, write);
    }

    /// Checks a write by a call that the process `who` has dropped.
    pub(crate) fn wrote_late(&mut self, who: &str, now: Timestamp, write: &Write<'_>) {
        self.shutdowns.comes_late(who);
        self.enter(who, now, write);
    }

    /// Records a write, and checks that it fits.
    fn enter(&mut self, who: &str, now: Timestamp, write: &Write<'_>) {
        self.chains.now(now);
        match *write {
            Write::Leased { worker, until } => {
                if self.leases.insert(key_of(worker), until).is_none() {
                    self.workers += 1;
                }
            }
            Write::Fenced { worker } => {
                let is_own = self.processes.get(who).is_some_and(|(own, _)| *own == worker);
                let running = self.running.get(who).copied();
                if is_own && self.shutdowns.interrupts_nothing(who, running) {
                    self.violate(format!(
                        "{who} was shut down, and that counts as an interruption"
                    ));
                }
                self.let_go(worker, 1, now);
            }
            Write::Released { worker } => {
                if self.shutdowns.keeps_nothing(who) && self.is_valid(worker, now) {
                    let left: Vec<_> = self.queues.made_by(worker).collect();
                    left.iter().for_each(|left| {
                        self.violate(format!("{left:?} was not handed back by {who}"));
                    });
                }
                if let Some(since) = self.shutdowns.in_order_for(who) {
                    let is_kept = |run: &&Run| {
                        let untouched_for = run.touched_at.map(|at| at.elapsed());
                        run.owner == Some(worker) && untouched_for > Some(since + AT_ONCE)
                    };
                    let kept = self.runs.values().find(is_kept);
                    if let Some(id) = kept.map(|run| run.workflow_id.clone()) {
                        self.violate(format!("{id} was kept by {who} for {since:?}"));
                    }
                }
                self.let_go(worker, 0, now);
            }
            Write::Started { run_id, workflow_id, workflow, owner } => {
                if owner.is_some_and(|owner| !self.is_valid(owner, now)) {
                    self.violate(format!("{workflow_id} was given to a worker without a lease"));
                }
                let mut others = self.runs.values().filter(|run| !run.is_closed);
                if others.any(|run| run.workflow_id == workflow_id) {
                    self.violate(format!("{workflow_id} is open twice"));
                }
                let had_one = self.runs.values().any(|run| run.workflow_id == workflow_id);
                self.tenancies.started(run_id, workflow_id);
                let made_by = self.kin.made_by(run_id).unwrap_or(who);
                let run = Run {
                    workflow_id: workflow_id.to_owned(),
                    owner,
                    is_relaxed: workflow == hasty::NAME,
                    touched_at: Some(Instant::now()),
                    readers: Readers::start(workflow, self.lives.get(made_by)),
                    ..Run::default()
                };
                if self.runs.insert(run_id, run).is_some() {
                    self.violate(format!("{workflow_id} was started twice"));
                }
                if workflow == effort::NAME || workflow == tick::NAME {
                    let followed = self.chains.started(run_id, !had_one);
                    followed.into_iter().for_each(|violation| self.violate(violation));
                }
                let is_from_outside = ![cancellable::NAME, linger::NAME].contains(&workflow)
                    || is_numbered(workflow_id);
                let asked = self.kin.started(run_id, workflow_id, is_from_outside);
                asked.into_iter().for_each(|violation| self.violate(violation));
            }
            Write::Claimed { run_id, step_no, worker, again } => {
                let is_valid = self.is_valid(worker, now);
                if !again {
                    self.given(worker, run_id);
                }
                self.check(run_id, |run| {
                    let owner = again.then_some(worker);
                    let is_open = !run.is_closed && !run.is_blocked;
                    let fits = is_open && run.owner == owner && run.step_no == step_no;
                    (run.owner, run.touched_at) = (Some(worker), Some(Instant::now()));
                    run.interruptions += u32::from(again);
                    if !fits || !is_valid {
                        return Some(format!("claimed by {worker:?} at {step_no:?}"));
                    }
                    run.pauses.claimed(again)
                });
            }
            Write::Committed { worker, step } => {
                self.asked(step, now);
                self.promises.sent(step);
                self.items.sent(step);
                let sent = self.letters.sent(step).or_else(|| self.kin.sent(who, step));
                if let Disposition::Close { status, successor, .. } = &step.disposition {
                    self.kin.ended(step.run_id, *status);
                    self.tenancies.ended(step.run_id, *status);
                    let next = successor.as_ref().map(|successor| successor.run.run_id);
                    let followed = next.and_then(|next| self.chains.follows(step.run_id, next));
                    self.check(step.run_id, |_| followed);
                }
                self.check(step.run_id, |_| sent);
                let is_valid = self.is_valid(worker, now);
                let (lives, workers) = (std::mem::take(&mut self.lives), self.workers);
                let by = lives.get(who);
                self.check(step.run_id, |run| {
                    let fits =
                        !run.is_closed && run.owner == Some(worker) && run.step_no == step.expected;
                    (run.step_no, run.touched_at) = (step.expected.next(), Some(Instant::now()));
                    match step.disposition {
                        Disposition::Keep { .. } => {}
                        Disposition::Park { .. } => run.owner = None,
                        Disposition::Block { .. } => (run.owner, run.is_blocked) = (None, true),
                        Disposition::Close { .. } => (run.owner, run.is_closed) = (None, true),
                    }
                    let used_up = run.use_up(&step.consumed);
                    run.set_aside(step);
                    let overdue = overdue_retry(&step.disposition);
                    if !fits || !is_valid {
                        return Some(format!("committed by {worker:?} after {:?}", step.expected));
                    }
                    match &step.disposition {
                        Disposition::Block { reason: BlockedReason::Panicked(why) }
                            if why == BROKEN => {}
                        Disposition::Block {
                            reason: reason @ (BlockedReason::Undecodable(_) | BlockedReason::Evolution(_)),
                        } => {
                            let blocked = run.readers.block(by, workers);
                            return blocked.err().map(|problem| format!("{problem}, {who}: {reason}"));
                        }
                        Disposition::Block { reason } => return Some(format!("blocked: {reason}")),
                        _ => {}
                    }
                    if let Some(problem) = run.pauses.stepped(step) {
                        return Some(problem);
                    }
                    let stepped = run.readers.step(by, &step.disposition, workers);
                    let undone = run.undoing.step(&step.disposition);
                    used_up.and(stepped).and(undone).err().or(overdue)
                });
                self.lives = lives;
            }
            Write::Refused { .. } => {}
            Write::PromiseCompleted { completion, told } => {
                let violation = self.promises.completed(completion, told, &self.runs);
                violation.into_iter().for_each(|violation| self.violate(violation));
            }
            Write::Arrived { run_id, seq, kind } => {
                if let ArrivalKind::Retry { handle, attempt, details, .. } = kind {
                    let key = ActivityKey { run_id, handle: *handle };
                    self.attempt_told(key, *attempt, details.as_ref());
                }
                self.arrived(run_id, kind);
                let workflow_id = self.runs.get(&run_id).map(|run| run.workflow_id.clone());
                let came = workflow_id.and_then(|id| self.letters.came(&id, kind));
                let came = came.or_else(|| self.answers.came(run_id, kind));
                let came = came.or_else(|| self.kin.came(run_id, kind, &self.chains));
                let came = came.or_else(|| match kind {
                    ArrivalKind::Outcome { handle, .. } if self.items.awaits(run_id, *handle) => {
                        self.items.came(run_id, kind)
                    }
                    kind => self.promises.came(run_id, kind, &self.runs),
                });
                self.check(run_id, |_| came);
                self.check(run_id, |run| {
                    run.pauses.came(kind);
                    let fits = !run.is_closed && seq == run.arrived + 1;
                    run.arrived = seq;
                    let signal = match kind {
                        ArrivalKind::Signal { name, .. } => Some(name.clone()),
                        ArrivalKind::Update { name, .. } => Some(format!("update {name}")),
                        _ => None,
                    };
                    run.inbox.insert(seq, signal);
                    let is_from_outside = matches!(
                        kind,
                        ArrivalKind::Signal { .. }
                            | ArrivalKind::Update { .. }
                            | ArrivalKind::Cancel { .. }
                    );
                    if !is_from_outside {
                        run.own.insert(seq);
                    }
                    (!fits).then(|| format!("arrival {seq} does not fit"))
                });
            }
            Write::Replied { run_id, update, reply } => {
                let given = self.answers.given(run_id, update, reply);
                self.check(run_id, |_| given);
            }
            Write::DeadLetter { workflow_id, kind } => {
                let holder =
                    self.runs.values().find(|run| run.workflow_id == workflow_id && !run.is_closed);
                // A message for a child is for no other run with its workflow id.
                if holder.is_some() && is_numbered(workflow_id) {
                    self.violate(format!(
                        "what is for {workflow_id} is a dead letter, and it is open"
                    ));
                }
                if let Some(violation) = self.letters.came(workflow_id, kind) {
                    self.violate(format!("{workflow_id}: {violation}"));
                }
            }
            Write::CalledAgain { call } => {
                let violation = self.items.called_again(call);
                violation.into_iter().for_each(|violation| self.violate(violation));
            }
            Write::Attempted { key, attempt, worker, again } if key.is_item() => {
                let is_late = !self.is_valid(worker, now);
                let violation = self.items.attempted(key, attempt, worker, again);
                let violation =
                    violation.or(is_late.then(|| format!("an item was attempted by {worker:?}")));
                violation.into_iter().for_each(|violation| self.violate(violation));
            }
            Write::Ended { end } if end.key.is_item() => {
                let is_late = !self.is_reporter_valid(end.reporter, now);
                let violation = self.items.ended(end);
                let violation =
                    violation.or(is_late.then(|| "a late end of an item's attempt".to_owned()));
                violation.into_iter().for_each(|violation| self.violate(violation));
            }
            Write::Attempted { key, attempt, worker, again } => {
                let is_valid = self.is_valid(worker, now);
                let violation = self.queues.attempted(key, attempt, worker, again, now);
                self.check(key.run_id, |_| {
                    violation.or((!is_valid).then(|| format!("attempted by {worker:?}")))
                });
            }
            Write::Beaten { heartbeat } => {
                let is_valid = self.is_reporter_valid(heartbeat.reporter, now);
                let violation = self.queues.beaten(heartbeat, now);
                self.check(heartbeat.key.run_id, |_| {
                    violation.or((!is_valid).then(|| "a late sign of life".to_owned()))
                });
            }
            Write::Ended { end } => {
                let is_valid = self.is_reporter_valid(end.reporter, now);
                if let (ActivityEnd::Retry { details, .. }, Reporter::Worker(_)) =
                    (&end.end, end.reporter)
                {
                    self.attempt_told(end.key, end.attempt, details.as_ref());
                }
                let given_at = self.queues.given_at(end.key);
                let violation = self.queues.ended(end, now).or_else(|| {
                    let ActivityEnd::PutBack { due_at } = end.end else { return None };
                    let since = self.shutdowns.in_order_for(who)?;
                    let kept_for = now.saturating_since(given_at?).min(since);
                    if kept_for > AT_ONCE {
                        return Some(format!("put back by {who} after {kept_for:?}"));
                    }
                    (due_at > now)
                        .then(|| format!("put back by {who} for {due_at}, and it is {now}"))
                });
                self.check(end.key.run_id, |_| {
                    violation.or((!is_valid).then(|| "a late end of an attempt".to_owned()))
                });
            }
            Write::Noted { key } => self.check(key.run_id, |run| {
                let is_new = run.noted.insert(key.handle);
                (!is_new).then(|| format!("call {} was written twice", key.handle.0))
            }),
            Write::Terminated { run_id } => {
                let treated = self.kin.terminated(run_id, &self.chains);
                self.check(run_id, |_| treated);
                self.closed(run_id, RunStatus::Terminated);
            }
            Write::Expired { expiry } => {
                let expired = self.chains.expired(expiry);
                self.check(expiry.run_id, |_| expired);
                self.closed(expiry.run_id, RunStatus::TimedOut);
            }
            // No driver owns it, and it is claimed again once it is resumed.
            Write::Paused { run_id } | Write::Resumed { run_id } => self.check(run_id, |run| {
                if run.owner.is_some() || run.is_closed {
                    return Some("paused or resumed while a worker owned it".to_owned());
                }
                let is_paused = matches!(write, Write::Paused { .. });
                if is_paused {
                    run.is_blocked = false;
                    run.readers.unblock();
                }
                run.pauses.set(is_paused)
            }),
            Write::Reopened { run_id } => {
                self.tenancies.opened(run_id);
                let id = self.runs.get(&run_id).map(|run| run.workflow_id.clone());
                let mut open = self.runs.values().filter(|run| !run.is_closed);
                if let Some(id) = id.filter(|id| open.any(|run| run.workflow_id == *id)) {
                    self.violate(format!("{id} is open twice"));
                }
                self.check(run_id, |run| {
                    let was_closed = std::mem::take(&mut run.is_closed);
                    // The write counts as a step.
                    run.step_no = run.step_no.next();
                    (!was_closed).then(|| "opened again though it was open".to_owned())
                });
            }
            Write::Unblocked { run_id } => self.check(run_id, |run| {
                let was_blocked = std::mem::take(&mut run.is_blocked);
                run.readers.unblock();
                (!was_blocked).then(|| "unblocked though it was not blocked".to_owned())
            }),
        }
    }

    /// Records a run that was closed from outside.
    fn closed(&mut self, run_id: RunId, status: RunStatus) {
        self.kin.ended(run_id, status);
        self.tenancies.ended(run_id, status);
        self.queues.closed(run_id, true);
        self.check(run_id, |run| {
            let was_closed = run.is_closed;
            (run.owner, run.is_closed) = (None, true);
            was_closed.then(|| format!("{status} though it was closed"))
        });
    }

    /// Checks the queued activities of a step.
    fn asked(&mut self, step: &CommitStep, now: Timestamp) {
        let asked = self.queues.asked(step.run_id, now, &step.effects);
        let is_closed = matches!(step.disposition, Disposition::Close { .. });
        let closed = is_closed.then(|| self.queues.closed(step.run_id, false)).flatten();
        self.check(step.run_id, |_| asked.or(closed));
    }

    /// Records an arrival about attempts.
    fn arrived(&mut self, run_id: RunId, kind: &ArrivalKind) {
        let queues = &mut self.queues;
        let violation = match (self.runs.get_mut(&run_id), kind) {
            (Some(run), ArrivalKind::Outcome { handle, outcome }) => {
                let returned = match outcome {
                    OperationOutcome::Returned(payload) => {
                        piton::codec::from_payload::<Result<i64, String>>(payload).ok()
                    }
                    _ => None,
                };
                let value = returned.and_then(Result::ok);
                let is_written = run.calls.get(handle).is_some_and(|call| call.is_written);
                let key = ActivityKey { run_id, handle: *handle };
                let is_second = if is_written && value.is_some() {
                    !run.written.insert(*handle)
                } else {
                    queues.arrived(key, value)
                };
                is_second.then(|| format!("call {} has a second outcome", handle.0))
            }
            (_, ArrivalKind::Retry { handle, .. }) => {
                queues.failed(ActivityKey { run_id, handle: *handle });
                None
            }
            (Some(run), ArrivalKind::Interruption { .. }) => {
                run.interruptions += 1;
                None
            }
            _ => None,
        };
        self.check(run_id, |_| violation);
    }

    fn let_go(&mut self, worker: WorkerLease, interruptions: u32, now: Timestamp) {
        self.queues.let_go(worker, now);
        self.items.let_go(worker);
        self.leases.remove(&key_of(worker));
        for run in self.runs.values_mut().filter(|run| run.owner == Some(worker)) {
            run.owner = None;
            run.interruptions += interruptions;
        }
    }
}

/// Whether a state waits for a retry after the limit of all attempts.
fn overdue_retry(disposition: &Disposition) -> Option<String> {
    let (Disposition::Keep { snapshot, .. } | Disposition::Park { snapshot, .. }) = disposition
    else {
        return None;
    };
    let operations = piton::codec::decode_snapshot(snapshot).ok()?.operations;
    operations.into_iter().find_map(|(handle, operation)| {
        let Operation::Activity(activity) = operation else { return None };
        let close_by = activity.scheduled_at + activity.schedule_to_close?;
        let is_overdue = activity.retry_at? >= close_by;
        is_overdue.then(|| format!("call {} is to be tried again after its end", handle.0))
    })
}
