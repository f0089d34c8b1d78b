//! Events that the oracle and the journal receive.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use piton::activities::ActivityInfo;
use piton::model::{PromiseOutcome, PromiseToken, RunId, Timestamp};
use piton::store::memory::{Held, Write};
use piton::store::{ActivityKey, IdReuse, RunRecord, WorkerLease};

use super::World;
use crate::clerks::Answer;
use crate::oracle::{Beginning, Bounds, Oracle};
use crate::program::{Luck, Work};

impl World {
    /// Whether something that must not be is; and whatever the oracle says.
    pub(crate) fn violate(&self, violation: String) {
        self.journal.note("", format_args!("VIOLATION {violation}"));
        self.lock_oracle().violate(violation);
        self.violated.notify_one();
    }

    pub(crate) fn violations(&self) -> Vec<String> {
        self.lock_oracle().violations().to_vec()
    }

    /// Something was written by a process.
    pub(crate) fn wrote(&self, who: &str, now: Timestamp, write: &Write<'_>) {
        self.journal.note(who, format_args!("{}", Told(write)));
        self.judge(|oracle| oracle.wrote(who, now, write));
    }

    /// Something was written by a call of a process that had failed before.
    pub(crate) fn wrote_late(&self, who: &str, now: Timestamp, write: &Write<'_>) {
        self.journal.note(who, format_args!("(late) {}", Told(write)));
        self.judge(|oracle| oracle.wrote_late(who, now, write));
    }

    /// A worker of the process `who` says what it has.
    pub(crate) fn holds(&self, who: &str, worker: WorkerLease, held: Held<'_>) {
        self.judge(|oracle| oracle.holds(who, worker, held, self.bounds()));
    }

    /// The worker of the process `who` begins to look around.
    pub(crate) fn looks_around(&self, who: &str) {
        self.judge(|oracle| oracle.looks_around(who, self.bounds()));
    }

    /// What a worker has room for, and how long it may take to find what it has.
    pub(super) fn bounds(&self) -> Bounds {
        // It finds it at one poll and says so at the next, which may both be late by some calls.
        let polls = 3 * self.plan.poll_interval + Duration::from_secs(1);
        let attempts = self.plan.queues.iter().map(|queue| queue.places).min();
        Bounds { runs: self.plan.max_runs, attempts: attempts.unwrap_or_default(), polls }
    }

    /// The process `who` begins to shut down.
    pub(crate) fn stops(&self, who: &str) {
        // By then its lease has been renewed or lost, what was lost or given twice has been looked for,
        // and what has failed has been tried again: unless there is no room for a run that it owns
        // without knowing.
        let aftermath = self.plan.lease + 2 * self.plan.poll_interval + Duration::from_secs(10);
        let aftermath = if self.has_room() { aftermath } else { Duration::MAX };
        self.judge(|oracle| oracle.stops(who, aftermath));
    }

    /// The worker of the process `who` serves from now on, runs among others or nothing but queues.
    pub(crate) fn serves(&self, who: &str, has_runs: bool) {
        self.judge(|oracle| oracle.serves(who, has_runs));
    }

    /// Whether workers have room for all runs.
    pub(super) fn has_room(&self) -> bool {
        // Some have children, and schedules start others.
        self.plan.max_runs > 40 * self.plan.runs
    }

    /// The process `who` has shut down, and says that all went well.
    pub(crate) fn has_stopped(&self, who: &str) {
        self.judge(|oracle| oracle.has_stopped(who));
    }

    /// The process that is being polled makes an attempt, from this queue if it is on one, until this is
    /// dropped.
    pub(crate) fn running(self: &Arc<Self>, queue: Option<&'static str>) -> Running {
        let who = self.life(|life| life.name.clone()).unwrap_or_default();
        self.judge(|oracle| {
            oracle.begins_one_more(&who, self.plan.max_activities);
            if let Some(queue) = queue {
                oracle.begins_one_of(&who, queue, self.plan.limits_of(queue));
            }
        });
        Running { world: Arc::clone(self), who, queue }
    }

    /// A call of the process `who` fails.
    pub(crate) fn fails(&self, who: &str, operation: &str) {
        self.lock_oracle().fails(who, operation);
    }

    /// Something is wrong with the process `who` for so long: a call takes its time, or it counts as dead.
    pub(crate) fn trouble(&self, who: &str, length: Duration) {
        self.lock_oracle().trouble(who, length);
    }

    /// An attempt begins. Returns whether it is to be in trouble.
    pub(crate) fn attempt_begins(&self, info: &ActivityInfo, work: &Work) -> bool {
        let snapshot = self.database.snapshot(info.run_id);
        let snapshot = snapshot.and_then(|bytes| piton::codec::decode_snapshot(&bytes).ok());
        let who = self.life(|life| life.name.clone()).unwrap_or_default();
        let (id, handle, attempt) = (&info.workflow_id, info.handle.0, info.attempt);
        let event = format_args!("{id} begins attempt {attempt} of call {handle}");
        self.journal.note(&who, event);
        let (now, slack) = (self.database.clock(), self.slack());
        let beginning = Beginning { info, work, snapshot, who: &who, now, slack };
        self.judge(|oracle| oracle.attempt_begins(&beginning))
    }

    /// Whether an attempt is one of a call that has failed and was put on its queue again. It belongs to no run.
    pub(crate) fn is_redriven(&self, info: &ActivityInfo) -> bool {
        let key = ActivityKey { run_id: info.run_id, handle: info.handle };
        let is_redriven = key.is_item();
        if is_redriven {
            let who = self.life(|life| life.name.clone()).unwrap_or_default();
            let event = format_args!("attempt {} of a redriven call begins", info.attempt);
            self.journal.note(&who, event);
            self.judge(|oracle| oracle.redriven_begins(info));
        }
        is_redriven
    }

    /// An attempt of the item with this number begins.
    pub(crate) fn item_begins(&self, info: &ActivityInfo, number: u32) {
        let who = self.life(|life| life.name.clone()).unwrap_or_default();
        let event = format_args!("attempt {} of the item {number} begins", info.attempt);
        self.journal.note(&who, event);
        self.judge(|oracle| oracle.item_begins(info, number));
    }

    /// A start with a policy was acknowledged.
    pub(crate) fn was_started(&self, run_id: RunId, reuse: IdReuse) {
        self.judge(|oracle| oracle.was_started(run_id, reuse));
    }

    /// An attempt to undo this part of what its run has done begins.
    pub(crate) fn undo_begins(&self, info: &ActivityInfo, number: u32) {
        self.judge(|oracle| oracle.undo_begins(info.run_id, number));
    }

    /// An attempt comes to its end by itself.
    pub(crate) fn attempt_ends(&self, info: &ActivityInfo, work: &Work) {
        let (now, slack) = (self.database.clock(), self.slack());
        let ending = Beginning { info, work, snapshot: None, who: "", now, slack };
        self.judge(|oracle| oracle.attempt_ends(&ending));
    }

    /// By how much a process may misjudge the database's clock, if nothing has gone wrong so far: the
    /// time that a question and its answer take.
    fn slack(&self) -> Option<Duration> {
        (self.faults.count() == 0).then_some(2 * self.plan.latency)
    }

    /// An attempt says that it lives.
    pub(crate) fn attempt_says(&self, info: &ActivityInfo, said: (u32, u64)) {
        self.judge(|oracle| oracle.attempt_says(info, said));
    }

    /// An attempt knows what others have said before it.
    pub(crate) fn attempt_knows(&self, info: &ActivityInfo, known: Option<(u32, u64)>) {
        self.judge(|oracle| oracle.attempt_knows(info, known));
    }

    /// A client was told that a promise has come to this.
    pub(crate) fn promise_has_come_to(&self, token: &PromiseToken, outcome: &PromiseOutcome) {
        self.judge(|oracle| oracle.promise_has_come_to(token, outcome));
    }

    /// A number for a use of a token.
    pub(crate) fn number_of_use(&self) -> i64 {
        self.token_uses.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// Somebody has used a token to say something, and was told what became of it.
    pub(crate) fn token_was_used(&self, info: &ActivityInfo, said: Option<i64>, answer: Answer) {
        let (id, handle, attempt) = (&info.workflow_id, info.handle.0, info.attempt);
        let event = format_args!("{id}, attempt {attempt} of call {handle}: {said:?} {answer:?}");
        self.journal.note("clerk", event);
        self.judge(|oracle| oracle.token_was_used(info, said, answer));
    }

    /// This was said with a token that was refused.
    pub(crate) fn token_was_refused(&self, said: i64) {
        self.lock_oracle().token_was_refused(said);
    }

    /// Whether this was said with a token that was refused.
    pub(crate) fn was_refused(&self, said: i64) -> bool {
        self.lock_oracle().was_refused(said)
    }

    /// What has happened to a run.
    pub(crate) fn luck_of(&self, run: &RunRecord) -> Luck {
        let interruptions = self.lock_oracle().interruptions(run.run_id);
        let was_faulty = self.faults.count() > 0;
        Luck { interruptions, was_faulty, ..Luck::default() }
    }

    /// Lets the oracle look, and notes what does not hold.
    pub(super) fn judge<T>(&self, look: impl FnOnce(&mut Oracle) -> T) -> T {
        let mut oracle = self.lock_oracle();
        let before = oracle.violations().len();
        let told = look(&mut oracle);
        for violation in &oracle.violations()[before..] {
            self.journal.note("", format_args!("VIOLATION {violation}"));
            self.violated.notify_one();
        }
        told
    }

    /// A timer has fired that was due at `due`.
    pub(crate) fn timer_fired(&self, due: Timestamp) {
        let now = self.database.clock().as_micros() + self.faults.set_back();
        if now < due.as_micros() {
            self.violate(format!("a timer fired {} us early", due.as_micros() - now));
        }
    }
}

/// An attempt that is being made.
pub(crate) struct Running {
    world: Arc<World>,
    who: String,
    queue: Option<&'static str>,
}

impl Drop for Running {
    fn drop(&mut self) {
        self.world.lock_oracle().ends_one(&self.who, self.queue);
    }
}

/// A write as the journal tells it.
struct Told<'a>(&'a Write<'a>);

impl std::fmt::Display for Told<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        use piton::store::Disposition;
        match self.0 {
            Write::Committed { worker, step } | Write::Refused { worker, step } => {
                let verb = if matches!(self.0, Write::Committed { .. }) {
                    "commits"
                } else {
                    "cannot commit"
                };
                let what = match &step.disposition {
                    Disposition::Keep { state, .. } => format!("keep {state}"),
                    Disposition::Park { state, due_at, inbox_read, .. } => {
                        format!("park {state} until {due_at:?}, read {inbox_read}")
                    }
                    Disposition::Close { status, .. } => format!("close {status}"),
                    Disposition::Block { reason } => format!("block: {reason}"),
                };
                let (run_id, after) = (step.run_id, step.expected.0);
                let (worker, consumed) = (worker.worker_id.0, &step.consumed);
                write!(
                    f,
                    "{verb} {run_id} after {after} as {worker}, using up {consumed:?}: {what}"
                )
            }
            write => write!(f, "{write:?}"),
        }
    }
}
