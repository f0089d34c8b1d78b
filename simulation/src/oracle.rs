//! The model of what must hold, told of every row that is written and every attempt that begins.
//!
//! It believes nothing that the store says of itself: it keeps its own books of leases, owners,
//! step numbers and inboxes, from the writes alone, and compares.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use piton::activities::ActivityInfo;
use piton::model::{Epoch, Handle, RunId, StepNo, Timestamp, WorkerId};
use piton::store::memory::Write;
use piton::store::{ArrivalKind, Disposition, WorkerLease};

use crate::program::{MAX_ATTEMPTS, Trouble};

/// After how many interrupted attempts the engine gives an activity up.
const MAX_INTERRUPTIONS: u32 = 10;

/// See the [module documentation](self).
#[derive(Debug, Default)]
pub(crate) struct Oracle {
    leases: HashMap<(WorkerId, Epoch), Timestamp>,
    runs: BTreeMap<RunId, Run>,
    violations: Vec<String>,
}

#[derive(Debug, Default)]
struct Run {
    workflow_id: String,
    owner: Option<WorkerLease>,
    step_no: StepNo,
    is_closed: bool,
    /// Arrivals so far.
    arrived: i64,
    /// Those that are not used up.
    inbox: BTreeMap<i64, bool>,
    /// The number of the last signal that was used up.
    last_signal: i64,
    /// How often its attempts were interrupted.
    interruptions: u32,
    calls: BTreeMap<Handle, Call>,
}

#[derive(Debug, Default)]
struct Call {
    /// The numbers of the attempts that have begun.
    begun: BTreeSet<u32>,
    /// How many of them were told to fail or to hang.
    troubled: u32,
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

    /// Checks a write at the time `now` of the database.
    pub(crate) fn wrote(&mut self, now: Timestamp, write: &Write<'_>) {
        match *write {
            Write::Leased { worker, until } => {
                self.leases.insert((worker.worker_id, worker.epoch), until);
            }
            Write::Fenced { worker } => self.let_go(worker, 1),
            Write::Released { worker } => self.let_go(worker, 0),
            Write::Started { run_id, workflow_id, owner } => {
                if owner.is_some_and(|owner| !self.is_valid(owner, now)) {
                    self.violate(format!("{workflow_id} was given to a worker without a lease"));
                }
                let run = Run { workflow_id: workflow_id.to_owned(), owner, ..Run::default() };
                if self.runs.insert(run_id, run).is_some() {
                    self.violate(format!("{workflow_id} was started twice"));
                }
            }
            Write::Claimed { run_id, step_no, worker, again } => {
                let is_valid = self.is_valid(worker, now);
                self.check(run_id, |run| {
                    let owner = again.then_some(worker);
                    let fits = !run.is_closed && run.owner == owner && run.step_no == step_no;
                    run.owner = Some(worker);
                    run.interruptions += u32::from(again);
                    (!fits || !is_valid).then(|| format!("claimed by {worker:?} at {step_no:?}"))
                });
            }
            Write::Committed { worker, step } => {
                let is_valid = self.is_valid(worker, now);
                self.check(step.run_id, |run| {
                    let fits =
                        !run.is_closed && run.owner == Some(worker) && run.step_no == step.expected;
                    run.step_no = step.expected.next();
                    match step.disposition {
                        Disposition::Keep { .. } => {}
                        Disposition::Park { .. } | Disposition::Block { .. } => run.owner = None,
                        Disposition::Close { .. } => (run.owner, run.is_closed) = (None, true),
                    }
                    let used_up = run.use_up(&step.consumed);
                    if !fits || !is_valid {
                        return Some(format!("committed by {worker:?} after {:?}", step.expected));
                    }
                    if let Disposition::Block { reason } = &step.disposition {
                        return Some(format!("blocked: {reason}"));
                    }
                    used_up.err()
                });
            }
            Write::Refused { .. } => {}
            Write::Arrived { run_id, seq, kind } => self.check(run_id, |run| {
                let fits = !run.is_closed && seq == run.arrived + 1;
                run.arrived = seq;
                run.inbox.insert(seq, matches!(kind, ArrivalKind::Signal { .. }));
                (!fits).then(|| format!("arrival {seq} does not fit"))
            }),
            Write::Terminated { run_id } => self.check(run_id, |run| {
                let was_closed = run.is_closed;
                (run.owner, run.is_closed) = (None, true);
                was_closed.then(|| "terminated though it was closed".to_owned())
            }),
            Write::Unblocked { run_id } => {
                self.check(run_id, |_| Some("was blocked".to_owned()));
            }
        }
    }

    /// Checks an attempt that begins. `next_handle` is that of the committed snapshot. Returns
    /// whether the attempt is to be in trouble.
    pub(crate) fn attempt_begins(
        &mut self,
        info: &ActivityInfo,
        trouble: &Trouble,
        next_handle: Option<u64>,
    ) -> bool {
        let mut is_troubled = false;
        self.check(info.run_id, |run| {
            let most = MAX_ATTEMPTS + run.interruptions;
            let call = run.calls.entry(info.handle).or_default();
            let is_new = call.begun.insert(info.attempt);
            is_troubled = match trouble {
                Trouble::None => false,
                Trouble::Fails(times) | Trouble::Hangs(times) => call.troubled < *times,
                Trouble::AlwaysFails => true,
            };
            call.troubled += u32::from(is_troubled);
            let (handle, attempt) = (info.handle.0, info.attempt);
            if !is_new {
                return Some(format!("attempt {attempt} of call {handle} has begun twice"));
            }
            if call.begun.len() > most as usize {
                return Some(format!("call {handle} was tried more than {most} times"));
            }
            if !run.is_closed && next_handle.is_none_or(|next| next <= handle) {
                return Some(format!("call {handle} has begun before its state was committed"));
            }
            None
        });
        is_troubled
    }

    /// Whether a run was interrupted so often that its activities may have been given up.
    pub(crate) fn may_give_up(&self, run_id: RunId) -> bool {
        self.runs.get(&run_id).is_some_and(|run| run.interruptions >= MAX_INTERRUPTIONS)
    }

    /// Checks that nothing is left when all is over.
    pub(crate) fn check_end(&mut self) {
        let left = self.runs.iter().filter(|(_, run)| !run.is_closed || run.owner.is_some());
        let left: Vec<_> = left.map(|(_, run)| format!("{} was lost", run.workflow_id)).collect();
        left.into_iter().for_each(|violation| self.violate(violation));
    }

    fn check(&mut self, run_id: RunId, look: impl FnOnce(&mut Run) -> Option<String>) {
        let violation = match self.runs.get_mut(&run_id) {
            Some(run) => look(run).map(|violation| format!("{}: {violation}", run.workflow_id)),
            None => Some(format!("{run_id} was never started")),
        };
        violation.into_iter().for_each(|violation| self.violate(violation));
    }

    fn is_valid(&self, worker: WorkerLease, now: Timestamp) -> bool {
        let lease = self.leases.get(&(worker.worker_id, worker.epoch));
        lease.is_some_and(|until| *until > now)
    }

    fn let_go(&mut self, worker: WorkerLease, interruptions: u32) {
        self.leases.remove(&(worker.worker_id, worker.epoch));
        for run in self.runs.values_mut().filter(|run| run.owner == Some(worker)) {
            run.owner = None;
            run.interruptions += interruptions;
        }
    }
}

impl Run {
    /// Takes arrivals out of the inbox: each is there once, and signals go in order.
    fn use_up(&mut self, consumed: &[i64]) -> Result<(), String> {
        let mut consumed = consumed.to_vec();
        consumed.sort_unstable();
        for seq in consumed {
            match self.inbox.remove(&seq) {
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
