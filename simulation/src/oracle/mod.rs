//! The oracle: a model that checks every written row and every attempt that begins.
//!
//! It believes nothing that the store says of itself: it keeps its own books of leases, owners,
//! step numbers and inboxes, from the writes alone, and compares.

mod answers;
mod attempts;
mod builds;
mod chains;
mod crowds;
mod holdings;
mod items;
mod kin;
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
    /// The last lease of each process, and when it runs out by a clock that nobody sets.
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
    /// What was said with tokens that were refused.
    refused: BTreeSet<i64>,
    shutdowns: Shutdowns,
    /// The processes, by name.
    lives: BTreeMap<String, Process>,
    /// Those whose worker has come to serve runs.
    serving: BTreeSet<String>,
    /// How many workers there have been.
    workers: u64,
    /// The attempts that each process makes.
    running: BTreeMap<String, Running>,
    /// The attempts that each process makes from each queue.
    crowds: Crowds,
    /// What workers own without knowing.
    holdings: Holdings,
    /// How long workers take at most to look around some times.
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
    /// When it was last given to an owner, or stepped by one.
    touched_at: Option<Instant>,
    step_no: StepNo,
    is_closed: bool,
    is_blocked: bool,
    /// Whether it goes on ahead of its checkpoint.
    is_relaxed: bool,
    /// Arrivals so far.
    arrived: i64,
    /// Those that are not used up, each with the signal that it is, if it is one.
    inbox: BTreeMap<i64, Option<String>>,
    /// Those that are about its own attempts.
    own: BTreeSet<i64>,
    /// The number of the last signal of each name that was used up.
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

    /// The limits over all workers of the queue with partitions.
    pub(crate) fn limits_of_all(&mut self, limits: QueueLimits) {
        self.queues.limits = limits;
    }

    /// A process begins to live.
    pub(crate) fn lives(&mut self, who: &str, process: &Process) {
        self.lives.insert(who.to_owned(), process.clone());
        self.crowds.lives(who);
    }

    /// The worker of a process serves from now on, runs among others or nothing but queues.
    pub(crate) fn serves(&mut self, who: &str, has_runs: bool) {
        if has_runs {
            self.serving.insert(who.to_owned());
        }
        // It has not looked at anything yet.
        self.shutdowns.trouble(who, Duration::ZERO);
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

    /// The process `who` makes an attempt more, of which it may make so many at a time.
    pub(crate) fn begins_one_more(&mut self, who: &str, most: usize) {
        let count = self.running.get(who).map_or(0, |running| running.count) + 1;
        self.running.insert(who.to_owned(), Running { count, until: Instant::now() });
        if count as usize > most {
            self.violate(format!("{who} makes {count} attempts at a time"));
        }
    }

    /// An attempt that the process `who` makes is over.
    pub(crate) fn ends_one(&mut self, who: &str, queue: Option<&'static str>) {
        if let Some(queue) = queue {
            self.crowds.ends(who, queue);
        }
        if let Some(running) = self.running.get_mut(who) {
            *running = Running { count: running.count - 1, until: Instant::now() };
        }
    }

    /// A call of the process `who` fails.
    pub(crate) fn fails(&mut self, who: &str, operation: &str) {
        self.shutdowns.fail(who, operation);
    }

    /// Something is wrong with the process `who` for so long: a call takes its time, or it counts as dead.
    pub(crate) fn trouble(&mut self, who: &str, length: Duration) {
        self.shutdowns.trouble(who, length);
    }

    /// The process `who` stands still.
    pub(crate) fn stands_still(&mut self, who: &str) {
        self.shutdowns.stand_still(who);
    }

    /// The database's clock is set.
    pub(crate) fn clock_is_set(&mut self) {
        self.shutdowns.set_clock();
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

    /// Checks what a client was told that a promise has come to.
    pub(crate) fn promise_has_come_to(&mut self, token: &PromiseToken, outcome: &PromiseOutcome) {
        let violation = self.promises.heard(token, outcome, &self.runs);
        violation.into_iter().for_each(|violation| self.violate(violation));
    }

    /// Whether this was said with a token that was refused.
    pub(crate) fn was_refused(&self, said: i64) -> bool {
        self.refused.contains(&said)
    }

    /// An attempt to undo this part of what a run has done begins.
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

    /// Checks that nothing is left when all is over.
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
