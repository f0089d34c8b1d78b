//! The progress of a schedule, and its next actions.

use std::collections::VecDeque;
use std::time::Duration;

use piton_schedule::{Times, UnixSeconds};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::config::{Config, Overlap};
use super::doubt::Doubt;
use super::log::{LogKind, entry};
use crate::model::{RunId, RunStatus, StableHash, Timestamp};
use crate::store::NewScheduleLogEntry;

/// The maximum number of times per round, so that the state of a schedule that was idle for long is written
/// regularly.
const MAX_TAKEN: usize = 100;

/// The maximum number of missed times that are logged one by one.
const MAX_MISSED: usize = 100;

/// A time that a worker finds later than this counts as late: longer than the default poll interval.
const LATE: Duration = Duration::from_secs(10);

/// How often to look up a run that another one waits for.
const WATCH: Duration = Duration::from_millis(500);

/// How often to look up runs whose failure would pause the schedule.
const WATCH_FAILURE: Duration = Duration::from_secs(5);

/// The progress of a schedule.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct State {
    /// The times up to this one are dealt with.
    pub(crate) until: UnixSeconds,
    pub(crate) paused: bool,
    /// Why it was paused or unpaused.
    pub(crate) note: String,
    /// How many more runs its spec may start.
    pub(crate) remaining: Option<u64>,
    /// Due runs that wait for others to close, in order.
    pub(crate) waiting: VecDeque<Item>,
    pub(crate) backfills: Vec<Backfill>,
    /// The runs that it has started and has not yet seen closed.
    pub(crate) running: Vec<Running>,
    pub(crate) last_completed: Option<RunId>,
    pub(crate) last_failed: Option<RunId>,
    pub(crate) counts: Counts,
    /// The last requests of clients, to detect repetitions.
    pub(crate) requests: VecDeque<u64>,
    #[serde(default, skip_serializing_if = "Doubt::is_empty")]
    pub(crate) doubt: Doubt,
    /// The next time as the last worker computed it; `None` before the first look and after a change.
    #[serde(default)]
    pub(crate) foreseen: Option<Foreseen>,
}

/// The next time of a schedule, by the time zone data of the worker that computed it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Foreseen {
    /// It is the next after this time.
    after: UnixSeconds,
    /// When it falls due, with jitter; `None` if there are no more.
    at: Option<Timestamp>,
}

/// What a schedule has done so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Counts {
    /// Runs started, and signals sent.
    pub started: u64,
    /// Runs that waited, or wait, for others to close.
    pub buffered: u64,
    /// Times of the spec that a worker found within the catch-up window, but more than ten seconds after they were due.
    pub late: u64,
    /// Runs not started because one was open.
    pub skipped: u64,
    /// Runs not started because one was waiting, or the limit of waiting runs was reached.
    pub dropped: u64,
    /// Runs not started because they were later than the catch-up window. After a long outage, only some of them
    /// are counted.
    pub missed: u64,
    /// Runs not started because another run had the workflow id, or because they could not be started; and signals
    /// without a receiving run.
    pub refused: u64,
}

/// A due run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Item {
    pub(crate) nominal: Timestamp,
    pub(crate) kind: ItemKind,
    /// The policy, if it is not that of the schedule.
    pub(crate) overlap: Option<Overlap>,
}

/// Why a run is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ItemKind {
    Tick,
    Trigger(u64),
    Backfill(u64),
}

/// A requested backfill.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Backfill {
    pub(crate) request: u64,
    /// The times up to this one are dealt with.
    pub(crate) until: UnixSeconds,
    pub(crate) to: UnixSeconds,
    pub(crate) overlap: Option<Overlap>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Running {
    /// The run that it has started: the first of its chain.
    pub(crate) run_id: RunId,
    pub(crate) nominal: Timestamp,
    /// Whether the last run of the chain has a request to cancel.
    pub(crate) cancel_requested: bool,
    /// The last known run of the chain, if it is not the first.
    #[serde(default)]
    pub(crate) last: Option<RunId>,
}

impl Running {
    fn new(run_id: RunId, nominal: Timestamp) -> Self {
        Self { run_id, nominal, cancel_requested: false, last: None }
    }

    /// The last known run of the chain.
    pub(crate) fn last(&self) -> RunId {
        self.last.unwrap_or(self.run_id)
    }
}

/// A run whose chain was found to be over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Closed {
    /// The first run of the chain.
    pub(crate) run_id: RunId,
    /// The last run of the chain.
    pub(crate) last: RunId,
    /// The status of the last run; `None` if it was deleted.
    pub(crate) status: Option<RunStatus>,
}

/// A run to be started, or a signal to be sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Start {
    pub(crate) run_id: RunId,
    pub(crate) item: Item,
}

/// The actions to execute now.
#[derive(Clone, Debug, Default)]
pub(crate) struct Decision {
    /// Whole chains, by their first runs.
    pub(crate) terminate: Vec<RunId>,
    pub(crate) cancel: Vec<RunId>,
    pub(crate) start: Vec<Start>,
    pub(crate) log: Vec<NewScheduleLogEntry>,
}

/// The times that are due.
#[derive(Clone, Debug, Default)]
pub(crate) struct Taken {
    pub(super) items: Vec<Item>,
    /// Times that are late by more than the catch-up window.
    pub(crate) missed: Vec<Item>,
    missed_until: Option<UnixSeconds>,
    has_more: bool,
    /// When the next time falls due.
    next_at: Option<Timestamp>,
    /// The next time before and after it was moved by other time zone data.
    moved: Option<(Option<Timestamp>, Option<Timestamp>)>,
}

/// Identifies a schedule.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Identity<'a> {
    pub(crate) id: &'a str,
    pub(crate) token: Uuid,
}

impl Identity<'_> {
    /// When a nominal time falls due, with jitter.
    fn due(&self, times: &Times, nominal: UnixSeconds) -> Timestamp {
        Timestamp(nominal.as_micros()) + times.jitter(self.id, nominal)
    }

    /// The id of the run of an item: the same whoever starts it. It sorts by the nominal time, as other ids do by the
    /// time of the start.
    pub(crate) fn run_id(&self, item: &Item) -> RunId {
        let hash = |part: &str| {
            let mut hash = StableHash::new();
            hash.add(part);
            hash.add(&self.token.to_string());
            hash.add(&match item.kind {
                ItemKind::Tick => "tick".to_owned(),
                ItemKind::Trigger(request) => format!("trigger {request}"),
                ItemKind::Backfill(request) => format!("backfill {request}"),
            });
            hash.add(&item.nominal.0.to_string());
            hash.finish()
        };
        let bytes = (u128::from(hash("first")) << 64) | u128::from(hash("second"));
        let bytes = bytes.to_be_bytes();
        let millis = u64::try_from(item.nominal.0 / 1_000).unwrap_or_default();
        let bytes = [
            bytes[0], bytes[1], bytes[2], bytes[3], bytes[4], bytes[8], bytes[9], bytes[10],
            bytes[11], bytes[12],
        ];
        RunId::from(uuid::Builder::from_unix_timestamp_millis(millis, &bytes).into_uuid())
    }
}

impl State {
    /// The state of a schedule that begins `now`.
    pub(crate) fn new(now: Timestamp) -> Self {
        Self {
            until: UnixSeconds::from_micros(now.0),
            paused: false,
            note: String::new(),
            remaining: None,
            waiting: VecDeque::new(),
            backfills: Vec::new(),
            running: Vec::new(),
            last_completed: None,
            last_failed: None,
            counts: Counts::default(),
            requests: VecDeque::new(),
            doubt: Doubt::default(),
            foreseen: None,
        }
    }

    /// Whether the spec has an effect.
    pub(crate) fn is_live(&self) -> bool {
        !self.paused && self.remaining != Some(0)
    }

    /// Records the last run so far of a chain that continues.
    pub(crate) fn goes_on(&mut self, run_id: RunId, last: RunId) {
        let running = self.running.iter_mut().find(|run| run.run_id == run_id);
        if let Some(run) = running.filter(|run| run.last() != last) {
            // This run has no request to cancel, even if the one before it had.
            (run.last, run.cancel_requested) = (Some(last), false);
        }
    }

    /// Records the runs whose chains have ended, in the order in which they closed.
    pub(crate) fn settle(
        &mut self,
        config: &Config,
        closed: &[Closed],
        log: &mut Vec<NewScheduleLogEntry>,
    ) {
        for Closed { run_id, last, status } in closed {
            let at = self.running.iter().position(|run| run.run_id == *run_id);
            let Some(run) = at.map(|at| self.running.remove(at)) else { continue };
            match status {
                Some(RunStatus::Completed) => {
                    (self.last_completed, self.last_failed) = (Some(*last), None);
                }
                Some(RunStatus::Failed | RunStatus::TimedOut) => {
                    self.last_failed = Some(*last);
                    if config.pause_on_failure && !self.paused {
                        self.paused = true;
                        self.note = format!("run {last} has failed");
                        let what = LogKind::Paused { note: self.note.clone() };
                        log.push(entry(&what, Some(run.nominal), Some(*last)));
                    }
                }
                // Runs that were cancelled or terminated count neither as completed nor as failed.
                _ => {}
            }
        }
    }

    /// The next time as another worker computed it and as `times` has it, if they differ. Workers of another build have
    /// other time zone data.
    pub(crate) fn moved(
        &self,
        times: &Times,
        schedule: Identity<'_>,
    ) -> Option<(Option<Timestamp>, Option<Timestamp>)> {
        let before = self.foreseen.filter(|seen| self.is_live() && seen.after == self.until)?;
        let now = times.next(self.until).map(|nominal| schedule.due(times, nominal));
        (before.at != now).then_some((before.at, now))
    }

    /// Collects the times that are due by now.
    pub(crate) fn take(
        &mut self,
        config: &Config,
        times: &Times,
        schedule: Identity<'_>,
        now: Timestamp,
    ) -> Taken {
        let moved = self.moved(times, schedule);
        let mut taken = Taken { moved, ..Taken::default() };
        self.foreseen = None;
        self.take_backfills(config, times, &mut taken);
        if !self.is_live() {
            // Times that fall due while the spec has no effect are not caught up.
            self.until = self.until.max(UnixSeconds::from_micros(now.0));
            return taken;
        }
        let oldest = now - config.catch_up();
        let mut count = 0;
        while let Some(nominal) = times.next(self.until) {
            let at = schedule.due(times, nominal);
            if at > now {
                taken.next_at = Some(at);
                break;
            }
            if count == MAX_TAKEN {
                taken.has_more = true;
                break;
            }
            self.until = nominal;
            let item = Item {
                nominal: Timestamp(nominal.as_micros()),
                kind: ItemKind::Tick,
                overlap: None,
            };
            if at >= oldest {
                count += 1;
                self.counts.late += u64::from(at + LATE < now);
                taken.items.push(item);
            } else if taken.missed.len() < MAX_MISSED {
                taken.missed.push(item);
            } else {
                // Skips the remaining missed times in one step, up to the largest jitter: a jittered time is due later
                // than its nominal time.
                let jitter = times.max_jitter();
                let until = UnixSeconds::from_micros((oldest - jitter).0).0 - 1;
                self.until = self.until.max(UnixSeconds(until));
                taken.missed_until = Some(self.until);
            }
        }
        if !taken.has_more {
            self.foreseen = Some(Foreseen { after: self.until, at: taken.next_at });
        }
        taken
    }

    /// Collects the times of backfills while the list of waiting runs has room.
    pub(super) fn take_backfills(&mut self, config: &Config, times: &Times, taken: &mut Taken) {
        let mut room = MAX_TAKEN.saturating_sub(self.waiting.len());
        for backfill in &mut self.backfills {
            let overlap = backfill.overlap.or(Some(config.overlap));
            while room > 0 {
                let Some(nominal) = times.next(backfill.until).filter(|at| *at <= backfill.to)
                else {
                    backfill.until = backfill.to;
                    break;
                };
                backfill.until = nominal;
                room -= 1;
                let (nominal, kind) =
                    (Timestamp(nominal.as_micros()), ItemKind::Backfill(backfill.request));
                taken.items.push(Item { nominal, kind, overlap });
            }
        }
        self.backfills.retain(|backfill| backfill.until < backfill.to);
    }

    /// Counts a run that is started.
    pub(crate) fn begin(&mut self, run_id: RunId, item: &Item) {
        if item.kind == ItemKind::Tick {
            self.remaining = self.remaining.map(|left| left.saturating_sub(1));
        }
        self.counts.started += 1;
        self.running.push(Running::new(run_id, item.nominal));
    }

    /// Decides the next actions from the ended runs and the due times.
    pub(crate) fn decide(
        &mut self,
        config: &Config,
        schedule: Identity<'_>,
        taken: &Taken,
        missed: &[Item],
        log: Vec<NewScheduleLogEntry>,
    ) -> Decision {
        let mut decision = Decision { log, ..Decision::default() };
        if let Some((from, to)) = taken.moved {
            let text = |at: Option<Timestamp>| at.map(|at| at.to_string());
            let what = LogKind::TimeMoved { from: text(from), to: text(to) };
            decision.log.push(entry(&what, None, None));
        }
        for item in missed {
            self.counts.missed += 1;
            decision.log.push(entry(&LogKind::Missed, Some(item.nominal), None));
        }
        if let Some(until) = taken.missed_until {
            self.counts.missed += 1;
            let what = LogKind::MissedMany { until: until.to_string() };
            decision.log.push(entry(&what, None, None));
        }
        let queue = std::mem::take(&mut self.waiting);
        for item in queue {
            self.place(item, config, schedule, &mut decision);
        }
        for item in &taken.items {
            self.place(*item, config, schedule, &mut decision);
            self.counts.buffered += u64::from(self.waiting.back() == Some(item));
        }
        decision
    }

    /// Starts an item, has it wait, or drops it.
    fn place(
        &mut self,
        item: Item,
        config: &Config,
        schedule: Identity<'_>,
        decision: &mut Decision,
    ) {
        let policy = |item: &Item| item.overlap.unwrap_or(config.overlap);
        let waits =
            |state: &Self, kind: Overlap| state.waiting.iter().any(|item| policy(item) == kind);
        if item.kind == ItemKind::Tick && !self.is_live() {
            match self.paused {
                true => self.waiting.push_back(item),
                false => self.drop_item(LogKind::Dropped, &item, decision),
            }
            return;
        }
        if config.action.signal.is_some() {
            return self.signal(item, schedule, decision);
        }
        if self.running.is_empty() {
            return self.start(item, schedule, decision);
        }
        match policy(&item) {
            Overlap::AllowAll => self.start(item, schedule, decision),
            Overlap::Skip => {
                self.counts.skipped += 1;
                decision.log.push(entry(&LogKind::Skipped, Some(item.nominal), None));
            }
            Overlap::BufferOne if waits(self, Overlap::BufferOne) => {
                self.drop_item(LogKind::Dropped, &item, decision);
            }
            Overlap::BufferAll
                if config.max_buffered.is_some_and(|most| self.waiting.len() as u64 >= most) =>
            {
                self.drop_item(LogKind::Dropped, &item, decision);
            }
            Overlap::BufferOne | Overlap::BufferAll => self.waiting.push_back(item),
            Overlap::CancelOther => {
                self.take_back(decision);
                if self.running.is_empty() {
                    return self.start(item, schedule, decision);
                }
                for run in self.running.iter_mut().filter(|run| !run.cancel_requested) {
                    run.cancel_requested = true;
                    decision.cancel.push(run.last());
                    let what = &LogKind::CancelRequested;
                    decision.log.push(entry(what, Some(run.nominal), Some(run.last())));
                }
                let at = self.waiting.iter().position(|item| policy(item) == Overlap::CancelOther);
                if let Some(before) = at.and_then(|at| self.waiting.remove(at)) {
                    self.drop_item(LogKind::Dropped, &before, decision);
                }
                self.waiting.push_back(item);
            }
            Overlap::TerminateOther => {
                self.take_back(decision);
                for run in std::mem::take(&mut self.running) {
                    decision.terminate.push(run.run_id);
                    let what = &LogKind::Terminated;
                    decision.log.push(entry(what, Some(run.nominal), Some(run.last())));
                }
                self.start(item, schedule, decision);
            }
        }
    }

    /// Sends a signal, which is done at once: nothing waits for it.
    fn signal(&mut self, item: Item, schedule: Identity<'_>, decision: &mut Decision) {
        if item.kind == ItemKind::Tick {
            self.remaining = self.remaining.map(|left| left.saturating_sub(1));
        }
        self.counts.started += 1;
        decision.start.push(Start { run_id: schedule.run_id(&item), item });
    }

    fn start(&mut self, item: Item, schedule: Identity<'_>, decision: &mut Decision) {
        let run_id = schedule.run_id(&item);
        self.begin(run_id, &item);
        let what =
            LogKind::Started { last_completed: self.last_completed, last_failed: self.last_failed };
        decision.log.push(entry(&what, Some(item.nominal), Some(run_id)));
        decision.start.push(Start { run_id, item });
    }

    /// Drops the run that this decision was to start, since another one replaces it.
    fn take_back(&mut self, decision: &mut Decision) {
        for start in std::mem::take(&mut decision.start) {
            self.undo(&start, &mut decision.log);
            self.drop_item(LogKind::Dropped, &start.item, decision);
        }
    }

    fn undo(&mut self, start: &Start, log: &mut Vec<NewScheduleLogEntry>) {
        self.running.retain(|run| run.run_id != start.run_id);
        self.counts.started -= 1;
        if start.item.kind == ItemKind::Tick {
            self.remaining = self.remaining.map(|left| left + 1);
        }
        log.retain(|entry| entry.run_id != Some(start.run_id));
    }

    fn drop_item(&mut self, what: LogKind, item: &Item, decision: &mut Decision) {
        self.counts.dropped += 1;
        decision.log.push(entry(&what, Some(item.nominal), None));
    }

    /// Takes back a start that was refused.
    pub(crate) fn refused(
        &mut self,
        start: &Start,
        why: &LogKind,
        log: &mut Vec<NewScheduleLogEntry>,
    ) {
        self.undo(start, log);
        self.counts.refused += 1;
        log.push(entry(why, Some(start.item.nominal), None));
    }

    /// When the schedule is due again.
    pub(crate) fn due_at(
        &self,
        config: &Config,
        taken: &Taken,
        now: Timestamp,
    ) -> Option<Timestamp> {
        let next_at = taken.next_at.filter(|_| self.is_live());
        let is_live = self.is_live();
        let can_start = |item: &Item| is_live || item.kind != ItemKind::Tick;
        let waits = self.waiting.iter().any(can_start);
        let has_room = self.waiting.len() < MAX_TAKEN;
        let again = match () {
            () if taken.has_more || (waits && self.running.is_empty()) => Some(now),
            () if !self.backfills.is_empty() && has_room => Some(now),
            () if waits || !self.backfills.is_empty() => Some(now + WATCH),
            () if config.pause_on_failure && !self.paused && !self.running.is_empty() => {
                Some(now + WATCH_FAILURE)
            }
            () => None,
        };
        next_at.into_iter().chain(again).chain(self.doubt.due_at(now)).min()
    }
}
