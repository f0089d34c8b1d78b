//! Driving one busy run: a task that owns its machine for as long as there is something to do.
//!
//! Each turn does the first thing there is to do: step and commit, read the inbox, save what must
//! survive, start activities; or it waits, or parks the run and ends. Activities that a step asks
//! for start after its commit, never before. What the driver holds in memory and has not written
//! can be made again from the run's row and inbox: it may be stopped between any two lines.

mod attempts;
mod steps;

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use tokio::sync::{mpsc, watch};
use tokio::time::{sleep, sleep_until};
use tracing::{Instrument, debug, error, info, info_span, warn};

use self::attempts::{Attempt, AttemptEnd, Attempts};
use self::steps::{Before, StepEnd};
use super::backoff::Backoff;
use super::claim::INBOX_PAGE;
use super::retry::{self, Conclusion, MAX_INTERRUPTIONS};
use super::session::{Phase, Session};
use crate::activities::{ActivityContext, ActivityInfo};
use crate::codec;
use crate::error::StoreError;
use crate::machine::{Machine, OperationOutcome, RunInfo, TimeoutKind};
use crate::model::{BlockedReason, Handle, RunId, StepNo, Timestamp};
use crate::store::{
    Arrival, ArrivalKind, ArrivalOutcome, ClaimedRun, CommitOutcome, CommitStep, Disposition,
    NewArrival, RunEvent, RunKey,
};

/// When all places for runs are taken, a run that waits for longer than this makes room.
const CROWDED_PARK_AFTER: Duration = Duration::from_millis(100);

/// The wait before something is saved again that the database has refused.
const SAVE_AGAIN_AFTER: Duration = Duration::from_secs(1);

/// Where a run comes from.
#[derive(Debug)]
pub(crate) enum Origin {
    /// From the database.
    Claimed {
        /// The run.
        run: ClaimedRun,
        /// How many arrivals had been announced before it was read.
        heard: u64,
    },
    /// It was started in this process.
    Started {
        /// The run.
        run: RunInfo,
        /// Its machine, before the first step. Boxed for its size.
        machine: Box<Machine>,
        /// How many arrivals had been announced before it was started.
        heard: u64,
    },
}

impl Origin {
    /// The run.
    pub(crate) fn run_id(&self) -> RunId {
        match self {
            Self::Claimed { run, .. } => run.run_id,
            Self::Started { run, .. } => run.run_id,
        }
    }
}

/// See the [module documentation](self).
pub(crate) struct Driver {
    /// What the run is held under.
    session: Arc<Session>,
    /// Which run.
    run: RunInfo,
    /// Commits so far.
    step_no: StepNo,
    /// The run's machine, with what has arrived for it.
    machine: Machine,
    /// Activities under way.
    attempts: Attempts,
    /// News of the run.
    events: mpsc::UnboundedReceiver<RunEvent>,
    /// How far the session has come.
    phase: watch::Receiver<Phase>,
    /// The number of the last arrival taken into account; the sweep reads it.
    inbox_read: Arc<AtomicI64>,
    /// Whether the inbox may hold more.
    unread: bool,
    /// Whether the inbox has been read to its end once. Before that an activity may look
    /// outstanding whose outcome lies there.
    caught_up: bool,
    /// What has ended since the last commit and must survive before anything follows from it.
    unsaved: Vec<Unsaved>,
    /// Whether the machine has changed without a step and the change is to be committed.
    changed: bool,
    /// Whether activities may be due to start or to be aborted.
    look_for_activities: bool,
    /// When the next attempt of a failed activity is due.
    next_retry: Option<Timestamp>,
    /// Why the run cannot go on.
    blocked: Option<BlockedReason>,
}

/// The end of an attempt that is in memory only.
enum Unsaved {
    /// The machine holds the outcome.
    Outcome(Handle),
    /// The machine has counted the attempt.
    Retry { handle: Handle, attempt: u32, retry_at: Timestamp, failure: String },
}

/// The driver has let go of the run.
struct Ended;

/// What a run that is not ready does.
enum Rest {
    /// It stays in memory, until this time if nothing arrives.
    Stay(Option<Timestamp>),
    /// It is parked, until this time if nothing arrives.
    Park(Option<Timestamp>),
}

impl Driver {
    /// Drives the run for as long as it stays with the session.
    pub(crate) async fn run(
        session: Arc<Session>,
        origin: Origin,
        events: mpsc::UnboundedReceiver<RunEvent>,
        inbox_read: Arc<AtomicI64>,
    ) {
        let run = match &origin {
            Origin::Started { run, .. } => run.clone(),
            Origin::Claimed { run, .. } => {
                RunInfo { run_id: run.run_id, workflow_id: run.workflow_id.clone() }
            }
        };
        let span = info_span!("run", run_id = %run.run_id, workflow_id = %run.workflow_id);
        let drive = async {
            match Self::load(&session, run, origin, events, inbox_read) {
                Ok(mut driver) => while driver.turn().await.is_ok() {},
                Err((run_id, expected, reason)) => {
                    warn!(%reason, "the run is blocked");
                    let disposition = Disposition::Block { reason };
                    let step = CommitStep { run_id, expected, disposition, consumed: Vec::new() };
                    if let Err(error) = session.commits.submit(step).await {
                        report_failed_commit(&session, &error);
                    }
                }
            }
        };
        drive.instrument(span).await;
    }

    fn load(
        session: &Arc<Session>,
        run: RunInfo,
        origin: Origin,
        events: mpsc::UnboundedReceiver<RunEvent>,
        inbox_read: Arc<AtomicI64>,
    ) -> Result<Self, (RunId, StepNo, BlockedReason)> {
        let (machine, claimed, heard) = match origin {
            Origin::Started { machine, heard, .. } => (*machine, None, heard),
            Origin::Claimed { run: claimed, heard } => {
                let refused = |reason| (claimed.run_id, claimed.step_no, reason);
                let entry = session.host.registry.workflow(&claimed.workflow).ok_or_else(|| {
                    let reason = format!("there is no workflow `{}`", claimed.workflow);
                    refused(BlockedReason::Undecodable(reason))
                })?;
                let snapshot = codec::decode_snapshot(&claimed.snapshot)
                    .map_err(|error| refused(BlockedReason::Undecodable(error.to_string())))?;
                (Machine::resume(entry, run.clone(), snapshot), Some(claimed), heard)
            }
        };
        // The caller subscribed before this; what was announced in between was not heard.
        let missed = session.store.hub().arrivals() != heard;
        let mut driver = Self {
            session: Arc::clone(session),
            run,
            step_no: StepNo(0),
            machine,
            attempts: Attempts::default(),
            events,
            phase: session.phase(),
            inbox_read,
            unread: missed,
            caught_up: true,
            unsaved: Vec::new(),
            changed: false,
            look_for_activities: true,
            next_retry: None,
            blocked: None,
        };
        if let Some(claimed) = claimed {
            driver.step_no = claimed.step_no;
            let is_whole = claimed.inbox.len() < INBOX_PAGE as usize;
            driver.absorb(claimed.inbox);
            if is_whole {
                driver.inbox_read.fetch_max(claimed.inbox_count, Ordering::Relaxed);
            }
            driver.caught_up = is_whole;
            driver.unread |= !is_whole;
            // Before the first attempt, so that a crash during it counts once and not twice.
            let now = driver.session.clock.now();
            driver.changed = driver.machine.count_interruptions(claimed.takeovers, now);
        }
        Ok(driver)
    }

    /// Does the first thing there is to do.
    async fn turn(&mut self) -> Result<(), Ended> {
        self.collect().await?;
        if let Some(reason) = self.blocked.take() {
            return self.block(reason).await;
        }
        let now = self.session.clock.now();
        if self.machine.is_ready(now) {
            return self.advance().await;
        }
        if self.unread {
            return self.read_inbox().await;
        }
        if !self.unsaved.is_empty() {
            return self.save().await;
        }
        if self.is_draining() {
            return if self.attempts.is_empty() { Err(Ended) } else { self.wait(None).await };
        }
        if self.changed {
            return self.checkpoint(self.rest(now)).await;
        }
        self.look_for_activities |= self.next_retry.is_some_and(|at| at <= now);
        if self.look_for_activities {
            // It may have settled or blocked something.
            self.start_activities(now);
            return Ok(());
        }
        match self.rest(now) {
            Rest::Stay(until) => self.wait(until).await,
            rest @ Rest::Park(_) => self.checkpoint(rest).await,
        }
    }

    /// Takes in what has come since the last turn.
    async fn collect(&mut self) -> Result<(), Ended> {
        while let Some(end) = self.attempts.try_next() {
            self.conclude(end);
        }
        while let Ok(event) = self.events.try_recv() {
            self.hear(event).await?;
        }
        Ok(())
    }

    async fn hear(&mut self, event: RunEvent) -> Result<(), Ended> {
        match event {
            RunEvent::Arrival(_) => self.unread = true,
            // Not by this driver, so by an operator. News may be wrong, the row is not.
            RunEvent::Settled(run_id) => {
                let record = self.session.store.find_run(&RunKey::RunId(run_id)).await;
                if let Ok(Some(record)) = record
                    && record.owner != Some(self.session.lease().worker_id)
                {
                    info!(status = %record.status, "the run was taken away");
                    return Err(Ended);
                }
            }
        }
        Ok(())
    }

    /// Waits until something comes, or until this time.
    async fn wait(&mut self, until: Option<Timestamp>) -> Result<(), Ended> {
        let until = until.map(|until| self.session.clock.instant_of(until));
        let timer = async {
            match until {
                Some(until) => sleep_until(until).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            end = self.attempts.next() => self.conclude(end),
            Some(event) = self.events.recv() => self.hear(event).await?,
            () = timer => {}
            _ = self.phase.changed() => {}
        }
        Ok(())
    }

    fn is_draining(&self) -> bool {
        *self.phase.borrow() != Phase::Serving
    }

    /// What the run does if it is not ready.
    fn rest(&self, now: Timestamp) -> Rest {
        let ready_at = self.machine.ready_at();
        let under_way = self
            .attempts
            .handles()
            .any(|handle| self.machine.with_activity(handle, |_| ()).is_some());
        if under_way && !self.look_for_activities {
            return Rest::Stay(ready_at.into_iter().chain(self.next_retry).min());
        }
        let mut next = ready_at;
        self.machine.for_each_activity(|handle, activity| {
            if !self.attempts.is_running(handle) {
                let due_at = activity.retry_at.unwrap_or(Timestamp::MIN);
                next = Some(next.map_or(due_at, |next| next.min(due_at)));
            }
        });
        let is_crowded = self.session.capacity.available_permits() == 0;
        let park_after = self.session.host.settings.park_after;
        let park_after = if is_crowded { park_after.min(CROWDED_PARK_AFTER) } else { park_after };
        let waits_long = next.is_none_or(|next| next > now + park_after);
        let is_known = !self.unread && self.unsaved.is_empty();
        if waits_long && is_known && !under_way { Rest::Park(next) } else { Rest::Stay(next) }
    }

    /// Makes steps and commits them.
    async fn advance(&mut self) -> Result<(), Ended> {
        let stepped = steps::fold(&mut self.machine, &self.session.clock);
        self.look_for_activities = true;
        let is_blocked = matches!(stepped.end, StepEnd::Blocked(_));
        self.unsaved.retain(|unsaved| match unsaved {
            Unsaved::Outcome(handle) => self.machine.unsaved_outcome(*handle).is_some(),
            // The snapshot holds the counts, unless it stays as it is.
            Unsaved::Retry { .. } => is_blocked,
        });
        match stepped.end {
            StepEnd::Waiting => {
                let rest = self.rest(self.session.clock.now());
                self.commit_machine(rest, stepped.consumed).await?;
                // At once, so that a stream of arrivals does not keep activities from starting.
                if self.caught_up && !self.is_draining() {
                    self.start_activities(self.session.clock.now());
                }
                Ok(())
            }
            StepEnd::Closed { status, result, failure } => {
                debug!(%status, "the run is over");
                self.commit(Disposition::Close { status, result, failure }, stepped.consumed)
                    .await?;
                Err(Ended)
            }
            StepEnd::Blocked(reason) => {
                if let Some(Before { snapshot, state, consumed }) = stepped.before {
                    self.commit(Disposition::Keep { snapshot, state }, consumed).await?;
                }
                self.block(reason).await
            }
        }
    }

    /// Commits the machine as it is, without a step.
    async fn checkpoint(&mut self, rest: Rest) -> Result<(), Ended> {
        let consumed = self.machine.take_consumed();
        self.commit_machine(rest, consumed).await
    }

    async fn commit_machine(&mut self, rest: Rest, consumed: Vec<i64>) -> Result<(), Ended> {
        let snapshot = match self.machine.encode_snapshot() {
            Ok(snapshot) => snapshot,
            Err(error) => return self.block(BlockedReason::Invalid(error.to_string())).await,
        };
        let state = self.machine.state().to_owned();
        match rest {
            Rest::Stay(_) => self.commit(Disposition::Keep { snapshot, state }, consumed).await,
            Rest::Park(due_at) => {
                let inbox_read = self.inbox_read.load(Ordering::Relaxed);
                let disposition = Disposition::Park { snapshot, state, due_at, inbox_read };
                self.commit(disposition, consumed).await?;
                debug!(?due_at, "parked");
                due_at.into_iter().for_each(|due_at| self.session.note_due(due_at));
                Err(Ended)
            }
        }
    }

    /// Leaves the run for code that can go on with it; what has arrived is kept.
    async fn block(&mut self, reason: BlockedReason) -> Result<(), Ended> {
        warn!(%reason, "the run is blocked");
        while !self.unsaved.is_empty() {
            self.save().await?;
        }
        self.commit(Disposition::Block { reason }, Vec::new()).await?;
        Err(Ended)
    }

    async fn commit(&mut self, disposition: Disposition, consumed: Vec<i64>) -> Result<(), Ended> {
        let run_id = self.run.run_id;
        let step = CommitStep { run_id, expected: self.step_no, disposition, consumed };
        match self.session.commits.submit(step).await {
            Ok(CommitOutcome::Committed) => {
                self.step_no = self.step_no.next();
                self.changed = false;
                Ok(())
            }
            Ok(CommitOutcome::Lost) => {
                info!(step_no = self.step_no.0, "the run has another owner or is closed");
                Err(Ended)
            }
            Err(error) => {
                report_failed_commit(&self.session, &error);
                Err(Ended)
            }
        }
    }

    /// Decides what follows from the end of an attempt.
    fn conclude(&mut self, end: AttemptEnd) {
        let AttemptEnd { handle, attempt, result } = end;
        let now = self.session.clock.now();
        let draw = retry::draw(self.run.run_id, handle, attempt);
        let conclusion = self.machine.with_activity(handle, |activity| {
            retry::conclude(activity, attempt, result, now, draw)
        });
        match conclusion {
            Some(Conclusion::Outcome(outcome)) => self.take_outcome(handle, outcome),
            Some(Conclusion::Retry { retry_at, failure }) => {
                debug!(handle = handle.0, attempt, %failure, %retry_at, "an attempt has failed");
                self.machine.deliver_retry(None, handle, attempt, retry_at);
                self.unsaved.push(Unsaved::Retry { handle, attempt, retry_at, failure });
                self.look_for_activities = true;
            }
            Some(Conclusion::Block(reason)) => self.blocked = Some(reason),
            // The workflow has given it up.
            None => {}
        }
    }

    fn take_outcome(&mut self, handle: Handle, outcome: OperationOutcome) {
        self.machine.deliver_outcome(None, handle, outcome);
        self.unsaved.push(Unsaved::Outcome(handle));
    }

    /// Puts into the inbox what has ended and does not make the run ready.
    async fn save(&mut self) -> Result<(), Ended> {
        let unsaved = std::mem::take(&mut self.unsaved);
        let mut asked = Vec::with_capacity(unsaved.len());
        for unsaved in unsaved {
            let kind = match &unsaved {
                Unsaved::Outcome(handle) => match self.machine.unsaved_outcome(*handle) {
                    Some(outcome) => ArrivalKind::Outcome { handle: *handle, outcome },
                    None => continue,
                },
                Unsaved::Retry { handle, attempt, retry_at, failure } => ArrivalKind::Retry {
                    handle: *handle,
                    attempt: *attempt,
                    retry_at: *retry_at,
                    failure: failure.clone(),
                },
            };
            let owner = Some(self.session.lease());
            let arrival = NewArrival { run_id: self.run.run_id, kind, dedup_key: None, owner };
            asked.push((unsaved, arrival));
        }
        let deliveries = self.session.deliveries.clone();
        let (unsaved, arrivals): (Vec<_>, Vec<_>) = asked.into_iter().unzip();
        let answers = arrivals.into_iter().map(|arrival| deliveries.submit(arrival));
        let answers = futures_util::future::join_all(answers).await;
        for (unsaved, answer) in unsaved.into_iter().zip(answers) {
            match answer {
                Ok(ArrivalOutcome::Accepted { seq }) => self.saved(unsaved, seq),
                Ok(outcome) => {
                    info!(?outcome, "the run has another owner or is closed");
                    return Err(Ended);
                }
                Err(error) => {
                    warn!(%error, "an outcome could not be saved yet");
                    self.unsaved.push(unsaved);
                }
            }
        }
        if !self.unsaved.is_empty() {
            sleep(SAVE_AGAIN_AFTER).await;
        }
        Ok(())
    }

    fn saved(&mut self, unsaved: Unsaved, seq: i64) {
        match unsaved {
            Unsaved::Outcome(handle) => self.machine.saved_outcome(handle, seq),
            Unsaved::Retry { handle, attempt, retry_at, .. } => {
                self.machine.deliver_retry(Some(seq), handle, attempt, retry_at);
            }
        }
        let read = self.inbox_read.load(Ordering::Relaxed);
        if seq == read + 1 {
            self.inbox_read.store(seq, Ordering::Relaxed);
        } else {
            // Something from outside came before it.
            self.unread |= seq > read;
        }
    }

    async fn read_inbox(&mut self) -> Result<(), Ended> {
        let read = self.inbox_read.load(Ordering::Relaxed);
        let mut backoff = Backoff::default();
        let page = loop {
            match self.session.store.read_inbox(self.run.run_id, read, INBOX_PAGE).await {
                Ok(page) => break page,
                Err(error) => {
                    warn!(%error, "the inbox could not be read yet");
                    backoff.wait().await;
                }
            }
        };
        self.unread = page.len() == INBOX_PAGE as usize;
        self.caught_up |= !self.unread;
        self.absorb(page);
        Ok(())
    }

    /// Hands arrivals to the machine. Those it has already do no harm.
    fn absorb(&mut self, arrivals: Vec<Arrival>) {
        for Arrival { seq, kind } in arrivals {
            let at = Some(seq);
            match kind {
                ArrivalKind::Signal { name, payload } => {
                    self.machine.deliver_signal(at, name, payload);
                }
                ArrivalKind::Outcome { handle, outcome } => {
                    self.machine.deliver_outcome(at, handle, outcome);
                }
                ArrivalKind::Retry { handle, attempt, retry_at, .. } => {
                    self.machine.deliver_retry(at, handle, attempt, retry_at);
                }
                ArrivalKind::Cancel { reason } => self.machine.deliver_cancel(at, reason),
            }
            self.inbox_read.fetch_max(seq, Ordering::Relaxed);
        }
    }

    /// Starts the activities that are due and aborts those that the workflow has given up.
    fn start_activities(&mut self, now: Timestamp) {
        self.look_for_activities = false;
        self.attempts.retain(|handle| self.machine.with_activity(handle, |_| ()).is_some());
        let mut due = Vec::new();
        let mut next_retry: Option<Timestamp> = None;
        self.machine.for_each_activity(|handle, activity| {
            if self.attempts.is_running(handle) {
                return;
            }
            match activity.retry_at.filter(|retry_at| *retry_at > now) {
                Some(at) => next_retry = Some(next_retry.map_or(at, |next| next.min(at))),
                None => due.push((handle, activity.clone())),
            }
        });
        self.next_retry = next_retry;
        for (handle, activity) in due {
            let deadline = retry::deadline(&activity);
            if activity.interruptions >= MAX_INTERRUPTIONS {
                let message = format!("its worker died during {MAX_INTERRUPTIONS} attempts");
                self.take_outcome(handle, OperationOutcome::Panicked(message));
            } else if deadline.is_some_and(|deadline| deadline <= now) {
                let outcome = OperationOutcome::TimedOut(TimeoutKind::ScheduleToClose);
                self.take_outcome(handle, outcome);
            } else if let Some(entry) = self.session.host.registry.activity(&activity.name) {
                let info = ActivityInfo {
                    run_id: self.run.run_id,
                    workflow_id: self.run.workflow_id.clone(),
                    handle,
                    name: activity.name,
                    attempt: activity.attempts.saturating_add(1),
                };
                let host = &self.session.host;
                self.attempts.start(Attempt {
                    entry,
                    context: ActivityContext::new(info, Arc::clone(&host.dependencies)),
                    arguments: activity.arguments,
                    start_to_close: activity.start_to_close,
                    deadline: deadline.map(|at| self.session.clock.instant_of(at)),
                    slots: Arc::clone(&host.activity_slots),
                });
            } else {
                self.blocked = Some(BlockedReason::Unregistered(activity.name));
            }
        }
    }
}

/// The run stays with the session, which goes on with it at a later sweep.
fn report_failed_commit(session: &Session, error: &StoreError) {
    if !matches!(error, StoreError::Fenced) {
        error!(%error, "a step could not be committed");
        session.suspect_strays();
    }
}
