//! The oracle's record of the runs that workers own without knowing it.
//!
//! A response may be lost, or a request may take effect long after its caller has dropped it. A worker then owns runs
//! without knowing it, which no other worker can claim. The reviews of workers, at every poll, are compared with the
//! runs that they own.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;
use std::time::Duration;

use piton::model::{Epoch, RunId, WorkerId};
use piton::store::memory::Held;
use piton::store::{ActivityKey, WorkerLease};
use tokio::time::Instant;

use super::{Oracle, key_of};

/// See the [module documentation](self).
#[derive(Debug, Default)]
pub(super) struct Holdings(BTreeMap<(WorkerId, Epoch), OfWorker>);

/// The runs and attempts that one worker owns without knowing.
#[derive(Debug, Default)]
struct OfWorker {
    runs: Unknown<RunId>,
    attempts: Unknown<(ActivityKey, u32)>,
}

#[derive(Debug)]
struct Unknown<T> {
    since: BTreeMap<T, Since>,
    /// Whether the worker has said what it has since it last began to look around.
    has_said: bool,
}

/// Since when something is not known.
#[derive(Clone, Copy, Debug)]
struct Since {
    /// Since the last assignment.
    first: Instant,
    /// Since there has been room for it.
    with_room: Instant,
}

impl<T> Default for Unknown<T> {
    fn default() -> Self {
        Self { since: BTreeMap::new(), has_said: false }
    }
}

impl<T: Ord + Copy + Debug> Unknown<T> {
    /// A worker that owns some things says which of them it has. Returns one for which it has had room
    /// for longer than `bound`.
    fn says(&mut self, owned: &[T], held: &[T], has_room: bool, bound: Duration) -> Option<T> {
        self.has_said = true;
        let held: BTreeSet<T> = held.iter().copied().collect();
        let unknown: BTreeSet<T> =
            owned.iter().copied().filter(|owned| !held.contains(owned)).collect();
        self.since.retain(|known, _| unknown.contains(known));
        let now = Instant::now();
        for one in unknown {
            let since = self.since.entry(one).or_insert(Since { first: now, with_room: now });
            if !has_room {
                since.with_room = now;
            }
        }
        let late = self.since.iter().find(|(_, since)| since.with_room.elapsed() > bound);
        late.map(|(late, _)| *late)
    }
}

/// The limits of a worker, and the time within which it must find its runs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bounds {
    /// How many runs.
    pub(crate) runs: usize,
    /// How many attempts of activities on queues.
    pub(crate) attempts: usize,
    /// Some polls.
    pub(crate) polls: Duration,
}

impl Oracle {
    /// A worker of the process `who` says what it has.
    pub(crate) fn holds(&mut self, who: &str, worker: WorkerLease, held: Held<'_>, bounds: Bounds) {
        self.polls = Some(bounds.polls);
        let of_worker = self.holdings.0.entry(key_of(worker)).or_default();
        let late = match held {
            Held::Runs(held) => {
                let owned = self.runs.iter().filter(|(_, run)| run.owner == Some(worker));
                let owned: Vec<_> = owned.map(|(run_id, _)| *run_id).collect();
                let held: Vec<_> = held.iter().map(|(run_id, _)| *run_id).collect();
                let has_room = held.len() < bounds.runs;
                let late = of_worker.runs.says(&owned, &held, has_room, bounds.polls);
                late.map(|late| format!("{late}"))
            }
            Held::Attempts(held) => {
                let owned: Vec<_> = self.queues.made_by(worker).collect();
                let has_room = held.len() < bounds.attempts;
                let late = of_worker.attempts.says(&owned, held, has_room, bounds.polls);
                late.map(|late| format!("{late:?}"))
            }
        };
        let late = late.filter(|_| self.shutdowns.has_served_for(who, bounds.polls));
        if let Some(late) = late {
            self.violate(format!("{who} owns {late} and does not find it"));
        }
    }

    /// The worker of the process `who` begins to look around. What it has not said it has none of.
    pub(crate) fn looks_around(&mut self, who: &str, bounds: Bounds) {
        let Some((worker, _)) = self.processes.get(who).copied() else { return };
        let of_worker = self.holdings.0.entry(key_of(worker)).or_default();
        let has_said =
            [&mut of_worker.runs.has_said, &mut of_worker.attempts.has_said].map(std::mem::take);
        if !has_said[0] {
            self.holds(who, worker, Held::Runs(&[]), bounds);
        }
        if !has_said[1] {
            self.holds(who, worker, Held::Attempts(&[]), bounds);
        }
        let of_worker = self.holdings.0.entry(key_of(worker)).or_default();
        (of_worker.runs.has_said, of_worker.attempts.has_said) = (false, false);
    }

    /// A worker is given a run. What was not known of it is of another time that it was given.
    pub(super) fn given(&mut self, worker: WorkerLease, run: RunId) {
        if let Some(of_worker) = self.holdings.0.get_mut(&key_of(worker)) {
            of_worker.runs.since.remove(&run);
        }
    }

    /// The worker of the process `who` asks for a run. Returns another that it owns without knowing,
    /// though there was time to find it before it takes others.
    pub(super) fn passed_over(&self, who: &str, worker: WorkerLease, run: RunId) -> Option<RunId> {
        let unknown = &self.holdings.0.get(&key_of(worker))?.runs;
        let bound = self.polls.filter(|bound| self.shutdowns.has_served_for(who, *bound))?;
        let is_late = |since: &Since| since.first.elapsed() > bound;
        let is_owned = |id: &RunId| self.runs.get(id).is_some_and(|run| run.owner == Some(worker));
        let late = unknown.since.iter().find(|(id, since)| is_late(since) && is_owned(id));
        late.map(|(late, _)| *late).filter(|late| *late != run)
    }
}
