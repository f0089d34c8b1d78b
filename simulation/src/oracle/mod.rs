//! The model of what must hold, told of every row that is written and every attempt that begins.
//!
//! It believes nothing that the store says of itself: it keeps its own books of leases, owners,
//! step numbers and inboxes, from the writes alone, and compares.

mod attempts;
mod builds;
mod queues;
mod shutdowns;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::time::Duration;

use piton::activities::ActivityInfo;
use piton::machine::{OperationOutcome, Workflow};
use piton::model::{BlockedReason, Epoch, Handle, Operation, RunId, StepNo, Timestamp, WorkerId};
use piton::process::Process;
use piton::store::memory::Write;
use piton::store::{
    ActivityEnd, ActivityKey, ArrivalKind, CommitStep, Disposition, Reporter, WorkerLease,
};
use tokio::time::Instant;

pub(crate) use self::attempts::Beginning;
use self::attempts::Call;
use self::builds::Readers;
use self::queues::Queues;
use self::shutdowns::{Running, Shutdowns};
use crate::clerks::Answer;
use crate::workflows::{BROKEN, hasty};

/// See the [module documentation](self).
#[derive(Debug, Default)]
pub(crate) struct Oracle {
    leases: HashMap<(WorkerId, Epoch), Timestamp>,
    /// The last lease of each process, and when it runs out by a clock that nobody sets.
    processes: BTreeMap<String, (WorkerLease, Instant)>,
    queues: Queues,
    runs: BTreeMap<RunId, Run>,
    /// What was said with tokens that were refused.
    refused: BTreeSet<i64>,
    shutdowns: Shutdowns,
    /// The processes, by name.
    lives: BTreeMap<String, Process>,
    /// Those whose worker has come to serve.
    serving: BTreeSet<String>,
    /// How many workers there have been.
    workers: u64,
    /// The attempts that each process makes.
    running: BTreeMap<String, Running>,
    violations: Vec<String>,
}

/// How long a worker that shuts down in order keeps what it does not begin, at most: some calls.
const AT_ONCE: Duration = Duration::from_secs(1);

#[derive(Debug, Default)]
struct Run {
    workflow_id: String,
    readers: Readers,
    owner: Option<WorkerLease>,
    step_no: StepNo,
    is_closed: bool,
    is_blocked: bool,
    /// Whether it goes on ahead of its checkpoint.
    is_relaxed: bool,
    /// Arrivals so far.
    arrived: i64,
    /// Those that are not used up.
    inbox: BTreeMap<i64, bool>,
    /// Those that are about its own attempts.
    own: BTreeSet<i64>,
    /// The number of the last signal that was used up.
    last_signal: i64,
    /// How often its attempts were interrupted.
    interruptions: u32,
    calls: BTreeMap<Handle, Call>,
    /// The calls whose notes were written.
    noted: BTreeSet<Handle>,
    /// The calls that write notes and have succeeded.
    written: BTreeSet<Handle>,
}

impl Oracle {
    /// Notes that something that must hold does not.
    pub(crate) fn violate(&mut self, violation: String) {
        // The first ones tell; the rest follow from them.
        if self.violations.len() < 20 {
            self.violations.push(violation);
        }
    }

    pub(crate) fn violations(&self) -> &[String] {
        &self.violations
    }

    /// A process begins to live.
    pub(crate) fn lives(&mut self, who: &str, process: &Process) {
        self.lives.insert(who.to_owned(), process.clone());
    }

    /// The worker of a process serves from now on.
    pub(crate) fn serves(&mut self, who: &str) {
        self.serving.insert(who.to_owned());
        // It has not looked at anything yet.
        self.shutdowns.trouble(who);
    }

    /// Checks that what is blocked goes on where it can be read: by a worker that has looked for it
    /// undisturbed for as long as `bound`.
    pub(crate) fn check_blocked(&mut self, bound: Duration) {
        let readers = self.lives.iter().filter(|(who, process)| {
            let has_lease = self
                .processes
                .get(*who)
                .is_some_and(|(lease, _)| self.leases.contains_key(&key_of(*lease)));
            has_lease
                && self.serving.contains(*who)
                && process.is_running()
                && self.shutdowns.has_served_for(who, bound)
        });
        let readers: Vec<_> =
            readers.map(|(who, process)| (who.clone(), process.clone())).collect();
        for (who, process) in readers {
            let mut open = self.runs.values().filter(|run| !run.is_closed);
            let waiting = open.find(|run| run.readers.waits_for(&process, bound));
            if let Some(run) = waiting {
                self.violate(format!("{} is blocked, and {who} can read it", run.workflow_id));
            }
        }
    }

    /// The process `who` begins to shut down. For as long as `aftermath` something may follow from
    /// what was wrong with it.
    pub(crate) fn stops(&mut self, who: &str, aftermath: Duration) {
        self.shutdowns.begin(who, aftermath);
    }

    /// The process `who` has shut down, and says that all went well.
    pub(crate) fn has_stopped(&mut self, who: &str) {
        let lease = self.processes.get(who).map(|(lease, _)| *lease);
        let has_lease = lease.is_some_and(|lease| self.leases.contains_key(&key_of(lease)));
        if has_lease && self.shutdowns.is_in_order(who) {
            self.violate(format!("{who} has shut down and keeps what it had until its lease ends"));
        }
    }

    /// The process `who` makes an attempt more, or one less.
    pub(crate) fn runs(&mut self, who: &str, by: i32) {
        let until = Instant::now();
        let running = self.running.entry(who.to_owned()).or_insert(Running { count: 0, until });
        *running = Running { count: running.count.saturating_add_signed(by), until };
    }

    /// A call of the process `who` fails.
    pub(crate) fn fails(&mut self, who: &str, operation: &str) {
        self.shutdowns.fail(who, operation);
    }

    /// Something is wrong with the process `who`: a call takes long, or it counts as dead.
    pub(crate) fn trouble(&mut self, who: &str) {
        self.shutdowns.trouble(who);
    }

    /// The process `who` stands still.
    pub(crate) fn stands_still(&mut self, who: &str) {
        self.shutdowns.stand_still(who);
    }

    /// The database's clock is set.
    pub(crate) fn clock_is_set(&mut self) {
        self.shutdowns.set_clock();
    }

    /// Checks a write of the process `who` at the time `now` of the database.
    pub(crate) fn wrote(&mut self, who: &str, now: Timestamp, write: &Write<'_>) {
        match *write {
            Write::Leased { worker, until } => {
                if self.leases.insert(key_of(worker), until).is_none() {
                    self.workers += 1;
                }
                let runs_out_at = Instant::now() + until.saturating_since(now);
                self.processes.insert(who.to_owned(), (worker, runs_out_at));
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
                    let left: Vec<_> = self.queues.held_by(worker).collect();
                    left.iter().for_each(|left| {
                        self.violate(format!("{left:?} was not handed back by {who}"));
                    });
                }
                self.let_go(worker, 0, now);
            }
            Write::Started { run_id, workflow_id, workflow, owner } => {
                if owner.is_some_and(|owner| !self.is_valid(owner, now)) {
                    self.violate(format!("{workflow_id} was given to a worker without a lease"));
                }
                let run = Run {
                    workflow_id: workflow_id.to_owned(),
                    owner,
                    is_relaxed: workflow == hasty::NAME,
                    readers: Readers::start(workflow, self.lives.get(who)),
                    ..Run::default()
                };
                if self.runs.insert(run_id, run).is_some() {
                    self.violate(format!("{workflow_id} was started twice"));
                }
            }
            Write::Claimed { run_id, step_no, worker, again } => {
                let is_valid = self.is_valid(worker, now);
                self.check(run_id, |run| {
                    let owner = again.then_some(worker);
                    let is_open = !run.is_closed && !run.is_blocked;
                    let fits = is_open && run.owner == owner && run.step_no == step_no;
                    run.owner = Some(worker);
                    run.interruptions += u32::from(again);
                    (!fits || !is_valid).then(|| format!("claimed by {worker:?} at {step_no:?}"))
                });
            }
            Write::Committed { worker, step } => {
                self.asked(step, now);
                let is_valid = self.is_valid(worker, now);
                let (lives, workers) = (std::mem::take(&mut self.lives), self.workers);
                let by = lives.get(who);
                self.check(step.run_id, |run| {
                    let fits =
                        !run.is_closed && run.owner == Some(worker) && run.step_no == step.expected;
                    run.step_no = step.expected.next();
                    match step.disposition {
                        Disposition::Keep { .. } => {}
                        Disposition::Park { .. } => run.owner = None,
                        Disposition::Block { .. } => (run.owner, run.is_blocked) = (None, true),
                        Disposition::Close { .. } => (run.owner, run.is_closed) = (None, true),
                    }
                    let used_up = run.use_up(&step.consumed);
                    let overdue = overdue_retry(&step.disposition);
                    if !fits || !is_valid {
                        return Some(format!("committed by {worker:?} after {:?}", step.expected));
                    }
                    match &step.disposition {
                        Disposition::Block { reason: BlockedReason::Panicked(why) }
                            if why == BROKEN => {}
                        Disposition::Block { reason: BlockedReason::Undecodable(why) } => {
                            let blocked = run.readers.block(by, workers);
                            return blocked.err().map(|problem| format!("{problem}, {who}: {why}"));
                        }
                        Disposition::Block { reason } => return Some(format!("blocked: {reason}")),
                        _ => {}
                    }
                    let stepped = run.readers.step(by, &step.disposition, workers);
                    used_up.and(stepped).err().or(overdue)
                });
                self.lives = lives;
            }
            Write::Refused { .. } => {}
            Write::Arrived { run_id, seq, kind } => {
                self.arrived(run_id, kind);
                self.check(run_id, |run| {
                    let fits = !run.is_closed && seq == run.arrived + 1;
                    run.arrived = seq;
                    run.inbox.insert(seq, matches!(kind, ArrivalKind::Signal { .. }));
                    if !matches!(kind, ArrivalKind::Signal { .. } | ArrivalKind::Cancel { .. }) {
                        run.own.insert(seq);
                    }
                    (!fits).then(|| format!("arrival {seq} does not fit"))
                });
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
                self.queues.closed(run_id, true);
                self.check(run_id, |run| {
                    let was_closed = run.is_closed;
                    (run.owner, run.is_closed) = (None, true);
                    was_closed.then(|| "terminated though it was closed".to_owned())
                });
            }
            Write::Unblocked { run_id } => self.check(run_id, |run| {
                let was_blocked = std::mem::take(&mut run.is_blocked);
                run.readers.unblock();
                (!was_blocked).then(|| "unblocked though it was not blocked".to_owned())
            }),
        }
    }

    /// Checks what somebody was told who has used a token.
    pub(crate) fn token_was_used(
        &mut self,
        info: &ActivityInfo,
        said: Option<i64>,
        answer: Answer,
    ) {
        let violation = self.queues.token_was_used(info, said, answer);
        self.check(info.run_id, |_| violation);
    }

    /// This was said with a token that was refused.
    pub(crate) fn token_was_refused(&mut self, said: i64) {
        self.refused.insert(said);
    }

    /// Whether this was said with a token that was refused.
    pub(crate) fn was_refused(&self, said: i64) -> bool {
        self.refused.contains(&said)
    }

    /// What has happened to a run.
    pub(crate) fn interruptions(&self, run_id: RunId) -> u32 {
        let here = self.runs.get(&run_id).map_or(0, |run| run.interruptions);
        here + self.queues.interruptions_of(run_id)
    }

    /// Checks that nothing is left when all is over.
    pub(crate) fn check_end(&mut self) {
        let left = self.runs.values().filter(|run| !run.is_closed || run.owner.is_some());
        let left = left.map(|run| format!("{} was lost", run.workflow_id));
        let apart = self.runs.values().filter(|run| run.noted != run.written).map(|run| {
            let Run { workflow_id, noted, written, .. } = run;
            format!("{workflow_id}: calls {written:?} have succeeded, and {noted:?} are written")
        });
        let violations: Vec<_> = left.chain(apart).collect();
        violations.into_iter().for_each(|violation| self.violate(violation));
    }

    fn check(&mut self, run_id: RunId, look: impl FnOnce(&mut Run) -> Option<String>) {
        let violation = match self.runs.get_mut(&run_id) {
            Some(run) => look(run).map(|violation| format!("{}: {violation}", run.workflow_id)),
            None => Some(format!("{run_id} was never started")),
        };
        violation.into_iter().for_each(|violation| self.violate(violation));
    }

    fn is_valid(&self, worker: WorkerLease, now: Timestamp) -> bool {
        let lease = self.leases.get(&key_of(worker));
        lease.is_some_and(|until| *until > now)
    }

    fn is_reporter_valid(&self, reporter: Reporter, now: Timestamp) -> bool {
        match reporter {
            Reporter::Worker(worker) => self.is_valid(worker, now),
            _ => true,
        }
    }

    /// Checks what a step asks of queues.
    fn asked(&mut self, step: &CommitStep, now: Timestamp) {
        let asked = self.queues.asked(step.run_id, now, &step.activities, &step.given_up);
        let is_closed = matches!(step.disposition, Disposition::Close { .. });
        let closed = is_closed.then(|| self.queues.closed(step.run_id, false)).flatten();
        self.check(step.run_id, |_| asked.or(closed));
    }

    /// Takes note of an arrival that says something of attempts.
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
        self.leases.remove(&key_of(worker));
        for run in self.runs.values_mut().filter(|run| run.owner == Some(worker)) {
            run.owner = None;
            run.interruptions += interruptions;
        }
    }
}

fn key_of(worker: WorkerLease) -> (WorkerId, Epoch) {
    (worker.worker_id, worker.epoch)
}

/// Whether a state waits to try something again when all its attempts must have ended.
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

impl Run {
    /// Takes arrivals out of the inbox: each is there once, and signals go in order.
    fn use_up(&mut self, consumed: &[i64]) -> Result<(), String> {
        let mut consumed = consumed.to_vec();
        consumed.sort_unstable();
        for seq in consumed {
            match self.inbox.remove(&seq) {
                // What a run that is ahead has put there itself it may read again before the commit
                // that uses it up.
                None if self.is_relaxed && self.own.contains(&seq) => {}
                None => return Err(format!("arrival {seq} was used up twice")),
                Some(true) if seq < self.last_signal => {
                    return Err(format!("signal {seq} was used up after a later one"));
                }
                Some(true) => self.last_signal = seq,
                Some(false) => {}
            }
        }
        Ok(())
    }
}
