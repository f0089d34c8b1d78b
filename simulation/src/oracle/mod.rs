//! The oracle: a model that checks every written row and every attempt that begins.
//!
//! It does not trust the store: it derives its own records of leases, owners, step numbers and inboxes from the writes,
//! and compares them.

mod answers;
mod attempts;
mod builds;
mod chains;
mod crowds;
mod holdings;
mod items;
mod kin;
mod leftovers;
mod letters;
mod pauses;
mod promises;
mod queues;
mod shutdowns;
mod tenancies;
mod undoing;
mod waits;
mod writes;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::time::Duration;

use piton::activities::ActivityInfo;
use piton::model::{
    Epoch, Handle, PromiseOutcome, PromiseToken, RunId, StepNo, Timestamp, WorkerId,
};
use piton::process::Process;
use piton::store::{QueueLimits, Reporter, WorkerLease};
use tokio::time::Instant;

use self::answers::Answers;
pub(crate) use self::attempts::Beginning;
use self::attempts::Call;
use self::builds::Readers;
use self::chains::Chains;
use self::crowds::Crowds;
pub(crate) use self::holdings::Bounds;
use self::holdings::Holdings;
use self::items::Items;
use self::kin::Kin;
use self::letters::Letters;
use self::pauses::Pauses;
use self::promises::Promises;
use self::queues::Queues;
use self::shutdowns::{Running, Shutdowns};
use self::tenancies::Tenancies;
use self::undoing::Undoing;
use crate::clerks::Answer;

/// See the [module documentation](self).
#[derive(Debug, Default)]
pub(crate) struct Oracle {
    leases: HashMap<(WorkerId, Epoch), Timestamp>,
    /// The last lease of each process, and when it expires by the monotonic clock.
    processes: BTreeMap<String, (WorkerLease, Instant)>,
    queues: Queues,
    letters: Letters,
    answers: Answers,
    kin: Kin,
    chains: Chains,
    tenancies: Tenancies,
    promises: Promises,
    items: Items,
    runs: BTreeMap<RunId, Run>,
    /// The values of refused tokens.
    refused: BTreeSet<i64>,
    shutdowns: Shutdowns,
    /// The processes, by name.
    lives: BTreeMap<String, Process>,
    /// The processes whose worker serves runs.
    serving: BTreeSet<String>,
    /// The number of workers so far.
    workers: u64,
    /// The attempts that each process makes.
    running: BTreeMap<String, Running>,
    /// The attempts that each process makes from each queue.
    crowds: Crowds,
    /// The runs that workers own without knowing.
    holdings: Holdings,
    /// The maximum time of a few polls.
    polls: Option<Duration>,
    violations: Vec<String>,
}

#[derive(Debug, Default)]
struct Run {
    workflow_id: String,
    readers: Readers,
    undoing: Undoing,
    pauses: Pauses,
    owner: Option<WorkerLease>,
    /// When it was last claimed or stepped.
    touched_at: Option<Instant>,
    step_no: StepNo,
    is_closed: bool,
    is_blocked: bool,
    /// Whether it is relaxed.
    is_relaxed: bool,
    /// Arrivals so far.
    arrived: i64,
    /// The unconsumed arrivals, each with its signal, if it is one.
    inbox: BTreeMap<i64, Option<String>>,
    /// The arrivals about its own attempts.
    own: BTreeSet<i64>,
    /// The number of the last consumed signal of each name.
    last_signals: BTreeMap<String, i64>,
    /// How often its attempts were interrupted.
    interruptions: u32,
    calls: BTreeMap<Handle, Call>,
    /// The calls whose notes were written.
    noted: BTreeSet<Handle>,
    /// The calls that write notes and have succeeded.
    written: BTreeSet<Handle>,
}

impl Oracle {
    /// Records a violation.
    pub(crate) fn violate(&mut self, violation: String) {
        // Later violations follow from the first ones.
        if self.violations.len() < 20 {
            self.violations.push(violation);
        }
    }

    pub(crate) fn violations(&self) -> &[String] {
        &self.violations
    }

    /// The limits over all workers of the queue with partitions.
    pub(crate) fn limits_of_all(&mut self, limits: QueueLimits) {
        self.queues.limits = limits;
    }

    /// A process begins to live.
    pub(crate) fn lives(&mut self, who: &str, process: &Process) {
        self.lives.insert(who.to_owned(), process.clone());
        self.crowds.lives(who);
    }

    /// Records that the worker of a process serves from now on, with runs or only queues.
    pub(crate) fn serves(&mut self, who: &str, has_runs: bool) {
        if has_runs {
            self.serving.insert(who.to_owned());
        }
        // It has not polled yet.
        self.shutdowns.trouble(who, Duration::ZERO);
    }

    /// Records that the process `who` begins to shut down. Effects of earlier faults may follow for the time of
    /// `aftermath`.
    pub(crate) fn stops(&mut self, who: &str, aftermath: Duration) {
        self.shutdowns.begin(who, aftermath);
    }

    /// Records that the process `who` has shut down without an error.
    pub(crate) fn has_stopped(&mut self, who: &str) {
        let lease = self.processes.get(who).map(|(lease, _)| *lease);
        let has_lease = lease.is_some_and(|lease| self.leases.contains_key(&key_of(lease)));
        if has_lease && self.shutdowns.is_in_order(who) {
            self.violate(format!("{who} has shut down and keeps what it had until its lease ends"));
        }
    }

    /// Records one more running attempt of the process `who`, and checks its limit.
    pub(crate) fn begins_one_more(&mut self, who: &str, most: usize) {
        let count = self.running.get(who).map_or(0, |running| running.count) + 1;
        self.running.insert(who.to_owned(), Running { count, until: Instant::now() });
        if count as usize > most {
            self.violate(format!("{who} makes {count} attempts at a time"));
        }
    }

    /// Records the end of an attempt of the process `who`.
    pub(crate) fn ends_one(&mut self, who: &str, queue: Option<&'static str>) {
        if let Some(queue) = queue {
            self.crowds.ends(who, queue);
        }
        if let Some(running) = self.running.get_mut(who) {
            *running = Running { count: running.count - 1, until: Instant::now() };
        }
    }

    /// Records a failed call of the process `who`.
    pub(crate) fn fails(&mut self, who: &str, operation: &str) {
        self.shutdowns.fail(who, operation);
    }

    /// Records a fault of the process `who` for this time: a call is slow, or the process counts as dead.
    pub(crate) fn trouble(&mut self, who: &str, length: Duration) {
        self.shutdowns.trouble(who, length);
    }

    /// Records that the process `who` is stopped.
    pub(crate) fn stands_still(&mut self, who: &str) {
        self.shutdowns.stand_still(who);
    }

    /// Records that the database's clock was set.
    pub(crate) fn clock_is_set(&mut self) {
        self.shutdowns.set_clock();
    }

    /// Checks the result of using a token.
    pub(crate) fn token_was_used(
        &mut self,
        info: &ActivityInfo,
        said: Option<i64>,
        answer: Answer,
    ) {
        let violation = self.queues.token_was_used(info, said, answer);
        self.check(info.run_id, |_| violation);
    }

    /// Records the value of a refused token.
    pub(crate) fn token_was_refused(&mut self, said: i64) {
        self.refused.insert(said);
    }

    /// Checks the outcome of a promise that a client got.
    pub(crate) fn promise_has_come_to(&mut self, token: &PromiseToken, outcome: &PromiseOutcome) {
        let violation = self.promises.heard(token, outcome, &self.runs);
        violation.into_iter().for_each(|violation| self.violate(violation));
    }

    /// Whether this is the value of a refused token.
    pub(crate) fn was_refused(&self, said: i64) -> bool {
        self.refused.contains(&said)
    }

    /// Records that an attempt of this compensation begins.
    pub(crate) fn undo_begins(&mut self, run_id: RunId, number: u32) {
        self.check(run_id, |run| run.undoing.begins(number).err());
    }

    /// An attempt of a call begins that has failed and was put on its queue again.
    pub(crate) fn redriven_begins(&mut self, info: &ActivityInfo) {
        let violation = self.items.redriven_begins(info);
        violation.into_iter().for_each(|violation| self.violate(violation));
    }

    /// An attempt of the item with this number begins.
    pub(crate) fn item_begins(&mut self, info: &ActivityInfo, number: u32) {
        let violation = self.items.begins(info, number);
        violation.into_iter().for_each(|violation| self.violate(violation));
    }

    /// What has happened to a run.
    pub(crate) fn interruptions(&self, run_id: RunId) -> u32 {
        let here = self.runs.get(&run_id).map_or(0, |run| run.interruptions);
        here + self.queues.interruptions_of(run_id)
    }

    /// Checks at the end that nothing is left.
    pub(crate) fn check_end(&mut self) {
        let left = self.runs.values().filter(|run| !run.is_closed || run.owner.is_some());
        let left = left.map(|run| format!("{} was lost", run.workflow_id));
        let apart = self.runs.values().filter(|run| run.noted != run.written).map(|run| {
            let Run { workflow_id, noted, written, .. } = run;
            format!("{workflow_id}: calls {written:?} have succeeded, and {noted:?} are written")
        });
        let violations: Vec<_> = left
            .chain(apart)
            .chain(self.letters.left())
            .chain(self.kin.left())
            .chain(self.chains.left())
            .collect();
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
}

fn key_of(worker: WorkerLease) -> (WorkerId, Epoch) {
    (worker.worker_id, worker.epoch)
}

impl Run {
    /// Removes consumed arrivals: each must exist, and signals must be consumed in order.
    fn use_up(&mut self, consumed: &[i64]) -> Result<(), String> {
        let mut consumed = consumed.to_vec();
        consumed.sort_unstable();
        for seq in consumed {
            match self.inbox.remove(&seq) {
                // A relaxed run may read its own arrivals again before the commit that consumes them.
                None if self.is_relaxed && self.own.contains(&seq) => {}
                None => return Err(format!("arrival {seq} was used up twice")),
                Some(Some(name)) => {
                    if self.last_signals.insert(name, seq) > Some(seq) {
                        return Err(format!("signal {seq} was used up after a later one"));
                    }
                }
                Some(None) => {}
            }
        }
        Ok(())
    }
}
