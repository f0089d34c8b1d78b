//! Driving one busy run: a task that owns the run's machine while the run has work.
//!
//! Each turn does the first thing that is due: step and commit, read the inbox, save what must survive, start
//! activities. Otherwise it waits, or parks the run and ends. Activities requested by a step start after its
//! commit, never before. Everything in a driver's memory that is not written can be rebuilt from the run's row and
//! inbox, so a driver may be stopped at any point.

mod activities;
mod ahead;
mod attempt;
mod attempts;
mod commit;
mod inbox;
mod pause;
mod steps;
mod successor;
mod transactions;
mod written;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use tokio::sync::mpsc;
use tokio::time::sleep_until;
use tracing::{Instrument, info_span};

use self::ahead::Ahead;
pub(crate) use self::attempt::Attempt;
use self::attempts::{Attempts, News};
use self::commit::report_failed_commit;
pub(crate) use self::inbox::INBOX_PAGE;
pub(crate) use self::steps::make_first;
use super::backoff::Backoff;
use super::events::{RunName, run_event};
use super::evolution::{self, Evolved};
use super::held::Hold;
use super::panics::{catch, caught};
use super::phase::Phase;
use super::session::Session;
use super::suspects::{self, Turn};
use crate::codec;
use crate::engine::outage::tried_again;
use crate::error::StoreError;
use crate::machine::{Machine, RunInfo, WorkflowEntry};
use crate::model::{BlockedReason, Handle, Payload, RunId, Snapshot, StepNo, Timestamp};
use crate::store::{Arrival, ClaimedRun, CommitStep, Disposition, RunEvent, RunKey};

/// If the worker is at `max_runs`, a run whose wait is longer than this is parked.
const CROWDED_PARK_AFTER: Duration = Duration::from_millis(100);

/// How long a run that waits for queued activities stays in memory after it has requested one or received an
/// outcome. A result within this time costs no claim; `n` results in a row cost one.
const LINGER: Duration = Duration::from_secs(1);

/// The wait before a refused save is repeated.
const SAVE_AGAIN_AFTER: Duration = Duration::from_secs(1);

/// How the driver gets its run.
#[derive(Debug)]
pub(crate) enum Origin {
    /// From the database.
    Claimed {
        /// The run.
        run: ClaimedRun,
        /// The number of arrivals announced before it was read.
        heard: u64,
    },
    /// It was started in this process.
    Started {
        /// The run.
        run: RunInfo,
        /// Its machine, as inserted. Boxed because of its size.
        machine: Box<Machine>,
        /// The number of arrivals announced before it was started.
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

    /// How many owners have died with the run since its last commit.
    fn lost_owners(&self) -> u32 {
        match self {
            Self::Claimed { run, .. } => run.takeovers,
            Self::Started { .. } => 0,
        }
    }
}

/// See the [module documentation](self).
pub(crate) struct Driver {
    /// The run's place in [`HeldRuns`](crate::engine::held::HeldRuns), and the session.
    hold: Hold,
    /// Which run.
    run: RunInfo,
    /// Number of its commits.
    step_no: StepNo,
    /// The run's machine, with the arrivals it has been given.
    machine: Machine,
    /// Steps that are not durable yet, in a workflow with relaxed durability.
    ahead: Ahead,
    /// Running attempts.
    attempts: Attempts,
    /// Events for the run.
    events: mpsc::UnboundedReceiver<RunEvent>,
    /// The session's phase when last read.
    phase: Phase,
    /// Why the database refuses the last step.
    refused: Option<BlockedReason>,
    /// Whether the inbox may have unread arrivals.
    unread: bool,
    /// Whether the inbox has been read to its end once. Until then, an activity may look outstanding although its
    /// outcome is in the inbox.
    caught_up: bool,
    /// Takeovers since the last commit that are not counted as interruptions yet.
    takeovers: u32,
    /// Ends of attempts since the last commit, which must be stored before anything depends on them.
    unsaved: Vec<Unsaved>,
    /// Attempts whose outcomes may or may not be in the inbox.
    uncertain: BTreeMap<Handle, u32>,
    /// Attempts that continue without their functions and that no commit has recorded yet.
    gone_on: Vec<(Handle, u32)>,
    /// Whether the machine has changed without a step and must be committed.
    changed: bool,
    /// Whether activities may have to be started or aborted.
    look_for_activities: bool,
    /// When the next attempt after a failure is due.
    next_retry: Option<Timestamp>,
    /// Whether an attempt has found that the run has another owner.
    lost: bool,
    /// A permit for runs that may kill the process, held until the first commit.
    turn: Turn,
    /// How long a wait for queued activities stays in memory.
    linger_until: Timestamp,
    /// Why the run has to be blocked.
    blocked: Option<BlockedReason>,
    /// Arrivals that ask to pause the run, by number.
    pauses: Vec<i64>,
}

/// An end of an attempt that is only in memory.
enum Unsaved {
    /// The machine has the outcome.
    Outcome(Handle),
    /// The machine has counted the attempt.
    Retry {
        handle: Handle,
        attempt: u32,
        retry_at: Timestamp,
        failure: String,
        details: Option<Payload>,
    },
    /// The engine has interrupted the attempt.
    Interruption { handle: Handle, attempt: u32 },
}

/// An error: the driver has let go of the run.
struct Ended;

/// A run that this build cannot read.
struct Unread {
    hold: Hold,
    run: RunInfo,
    workflow: String,
    /// The step number of the run.
    expected: StepNo,
    reason: BlockedReason,
}

/// How a run waits.
enum Rest {
    /// It stays in memory, until this time if nothing arrives.
    Stay(Option<Timestamp>),
    /// It is parked, until this time if nothing arrives.
    Park(Option<Timestamp>),
}

impl Driver {
    /// Drives the run until the session lets go of it or the run parks or closes.
    pub(crate) async fn run(hold: Hold, origin: Origin, events: mpsc::UnboundedReceiver<RunEvent>) {
        let run = match &origin {
            Origin::Started { run, .. } => run.clone(),
            Origin::Claimed { run, .. } => {
                RunInfo { run_id: run.run_id, workflow_id: run.workflow_id.as_str().into() }
            }
        };
        let run_id = run.run_id;
        let span = info_span!("run", %run_id, workflow_id = %run.workflow_id);
        let drive = async {
            let session = Arc::clone(&hold.session);
            let turn = session.suspects.turn(run_id, origin.lost_owners(), session.phases());
            // Without a lease, the worker releases it with everything it owns.
            let Some(turn) = turn.await else { return };
            match Self::load(hold, run, origin, events).await {
                Ok((mut driver, claimed)) => {
                    driver.turn = turn;
                    if let Err(message) = caught(driver.drive(claimed)).await {
                        driver.block_broken(message).await;
                    }
                    driver.attempts.let_go();
                }
                Err(unread) => {
                    let Unread { mut hold, run, workflow, expected, reason } = *unread;
                    let workflow_id = &*run.workflow_id;
                    let name = RunName { run_id, workflow_id, workflow: &workflow };
                    run_event!(warn, name, %reason, "the run is blocked");
                    hold.session.blocked.note_blocked(run_id);
                    let disposition = Disposition::Block { reason };
                    let step = Box::new(CommitStep::new(run_id, expected, disposition));
                    if let Err(error) = hold.session.commits.submit(step).await
                        && report_failed_commit(name, &error)
                    {
                        hold.doubt();
                    }
                }
            }
        };
        drive.instrument(span).await;
    }

    /// The driver of the run, and the claim to [process](Self::drive) first.
    async fn load(
        hold: Hold,
        run: RunInfo,
        origin: Origin,
        events: mpsc::UnboundedReceiver<RunEvent>,
    ) -> Result<(Self, Option<ClaimedRun>), Box<Unread>> {
        let session = &hold.session;
        let (machine, claimed, heard) = match origin {
            Origin::Started { machine, heard, .. } => (*machine, None, heard),
            Origin::Claimed { run: claimed, heard } => {
                let machine = match read(session, &run, &claimed).await {
                    Ok(machine) => machine,
                    Err(reason) => {
                        let ClaimedRun { workflow, step_no: expected, .. } = claimed;
                        return Err(Box::new(Unread { hold, run, workflow, expected, reason }));
                    }
                };
                (machine, Some(claimed), heard)
            }
        };
        // Arrivals announced before the subscription are not in the channel.
        let missed = session.store.hub().arrivals() != heard;
        let driver = Self {
            phase: session.phases().now(),
            refused: None,
            hold,
            run,
            step_no: claimed.as_ref().map_or(StepNo(0), |claimed| claimed.step_no),
            machine,
            ahead: Ahead::default(),
            attempts: Attempts::default(),
            events,
            unread: missed,
            caught_up: true,
            takeovers: 0,
            unsaved: Vec::new(),
            uncertain: BTreeMap::new(),
            gone_on: Vec::new(),
            changed: false,
            look_for_activities: true,
            next_retry: None,
            lost: false,
            turn: Turn::default(),
            linger_until: Timestamp::MIN,
            blocked: None,
            pauses: Vec::new(),
        };
        Ok((driver, claimed))
    }

    /// Drives the run until there is nothing to do, beginning with its claim.
    async fn drive(&mut self, claimed: Option<ClaimedRun>) {
        if let Some(claimed) = claimed {
            let is_whole = !claimed.inbox.has_more;
            self.absorb(claimed.inbox.arrivals);
            if is_whole {
                self.hold.inbox_read.fetch_max(claimed.inbox_count, Ordering::Relaxed);
            }
            self.caught_up = is_whole;
            self.unread |= !is_whole;
            self.takeovers = claimed.takeovers;
            self.count_takeovers();
            self.linger(self.hold.session.clock.now());
        }
        while self.turn().await.is_ok() {}
        self.block_refused().await;
    }

    /// Blocks the run after a panic in the driver outside of steps. The panic would repeat, so an operator has to
    /// look at the run. A second panic ends the task, and the worker looks for the run.
    async fn block_broken(&mut self, message: String) {
        run_event!(error, self.name(), %message, "what drives the run has panicked");
        let _ = self.block(BlockedReason::Panicked(message)).await;
    }

    /// Does the first thing that is due.
    async fn turn(&mut self) -> Result<(), Ended> {
        self.collect().await?;
        if self.lost {
            return Err(Ended);
        }
        if let Some(reason) = self.blocked.take() {
            return self.block(reason).await;
        }
        let now = self.hold.session.clock.now();
        if self.takeovers > 0 {
            // The commit sets the number of takeovers in the database to 0, so it must contain our count.
            return self.read_inbox().await;
        }
        if !self.pauses.is_empty() {
            return self.pause(now).await;
        }
        if let Some(reason) = self.machine.cancelled_before_it_began() {
            return self.close_unbegun(reason).await;
        }
        if self.machine.is_ready(now) {
            return self.advance(now).await;
        }
        if self.unread {
            return self.read_inbox().await;
        }
        self.settle_uncertain();
        if !self.unsaved.is_empty() {
            return self.save().await;
        }
        if self.changed {
            return self.checkpoint(self.rest(now)).await;
        }
        if self.is_draining() {
            self.attempts.call_off();
            if self.attempts.is_empty() {
                // By itself, without waiting for the worker's other runs: their attempts may take longer, or they
                // may be taken over.
                self.catch_up().await?;
                let (Rest::Stay(due_at) | Rest::Park(due_at)) = self.rest(now);
                return self.checkpoint(Rest::Park(due_at.map(|due_at| due_at.max(now)))).await;
            }
            return self.wait(None).await;
        }
        self.look_for_activities |= self.next_retry.is_some_and(|at| at <= now);
        if self.look_for_activities {
            // It may have completed or blocked something.
            self.start_activities(now);
            return Ok(());
        }
        match self.rest(now) {
            Rest::Stay(until) => self.wait(until).await,
            rest @ Rest::Park(_) => self.checkpoint(rest).await,
        }
    }

    /// Processes the events since the last turn.
    async fn collect(&mut self) -> Result<(), Ended> {
        while let Some(end) = self.attempts.try_next() {
            self.conclude(end);
        }
        while let Some(beat) = self.attempts.try_beat() {
            self.note_beat(beat);
        }
        while let Ok(event) = self.events.try_recv() {
            self.hear(event).await?;
        }
        Ok(())
    }

    async fn hear(&mut self, event: RunEvent) -> Result<(), Ended> {
        match event {
            RunEvent::Arrival(_) => self.unread = true,
            // Not closed by this driver, so by an operator. The event may be wrong, so read the row.
            RunEvent::Settled(run_id) => {
                let record = self.hold.session.store.find_run(&RunKey::RunId(run_id)).await;
                if let Ok(Some(record)) = record
                    && record.owner != Some(self.hold.session.lease().worker_id)
                {
                    run_event!(
                        info,
                        self.name(),
                        status = %record.status,
                        "the run was taken away"
                    );
                    return Err(Ended);
                }
            }
        }
        Ok(())
    }

    /// Waits for an event, or until this time.
    async fn wait(&mut self, until: Option<Timestamp>) -> Result<(), Ended> {
        self.turn.pass_on();
        let until = until.map(|until| self.hold.session.clock.instant_of(until));
        let timer = async {
            match until {
                Some(until) => sleep_until(until).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            biased;
            news = self.attempts.next() => match news {
                News::End(end) => self.conclude(end),
                News::Beat(beat) => self.note_beat(beat),
            },
            answer = self.ahead.answer() => self.answered(answer).await?,
            Some(event) = self.events.recv() => self.hear(event).await?,
            () = timer => {}
            phase = self.hold.session.phases().after(self.phase) => self.phase = phase,
        }
        Ok(())
    }

    /// The names of the run for log events.
    fn name(&self) -> RunName<'_> {
        let RunInfo { run_id, ref workflow_id } = self.run;
        RunName { run_id, workflow_id, workflow: self.machine.entry().name }
    }

    fn is_draining(&self) -> bool {
        !self.hold.session.is_serving()
    }
}

/// The machine of a run from the database, or why this build cannot read it. Loads definitions and schemas from the
/// database, and waits as long as that takes.
async fn read(
    session: &Session,
    run: &RunInfo,
    claimed: &ClaimedRun,
) -> Result<Machine, BlockedReason> {
    suspects::verdict(claimed.takeovers).map_or(Ok(()), Err)?;
    let undecodable = BlockedReason::Undecodable;
    let versions = session.host.registry.versions(&claimed.workflow);
    if versions.is_empty() {
        return Err(undecodable(format!("there is no workflow `{}`", claimed.workflow)));
    }
    let snapshot = catch(|| codec::decode_snapshot(&claimed.snapshot));
    let snapshot = snapshot.map_err(BlockedReason::Panicked)?;
    let mut snapshot = snapshot.map_err(|error| undecodable(error.to_string()))?;
    let mut backoff = Backoff::default();
    // Before anything else, so that nothing of a run that this build cannot read becomes visible.
    loop {
        match learn(session, versions, &mut snapshot, &claimed.inbox.arrivals).await {
            Ok(evolved) => {
                let Evolved { entry, given_up } = evolved?;
                let mut machine = Machine::resume(entry, run.clone(), snapshot);
                machine.give_up(given_up);
                if claimed.has_terms
                    && let Some(terms) = successor::terms_of(session, run.run_id).await?
                {
                    machine.set_terms(terms);
                }
                return Ok(machine);
            }
            Err(error) => {
                tried_again!(&error, "what wrote the run could not be read yet");
                backoff.wait().await;
            }
        }
    }
}

async fn learn(
    session: &Session,
    versions: &[&'static WorkflowEntry],
    snapshot: &mut Snapshot,
    arrivals: &[Arrival],
) -> Result<Result<Evolved, BlockedReason>, StoreError> {
    evolution::learn_schemas_of(&*session.store, arrivals.iter().filter_map(Arrival::payload))
        .await?;
    evolution::evolve(&*session.store, versions, snapshot).await
}
