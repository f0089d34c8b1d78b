//! Starts the runs of due schedules.
//!
//! A round claims due schedules, decides the actions of each, executes them, and writes the new state. If the
//! worker dies in between, another worker claims the schedule later and makes the same decisions. The id of a run
//! is a hash of the schedule and the nominal time, so a repeated start has no effect. If many schedules are due, the
//! next round claims its schedules while this one waits for the database.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use futures_util::{TryStreamExt as _, stream};
use piton_schedule::Times;
use tokio::time::Instant;
use tracing::{debug, warn};

use super::scheduled_signals;
use crate::engine::backoff::Backoff;
use crate::engine::evolution::learn_schemas_of;
use crate::engine::first_state::{check_start, first_state};
use crate::engine::outage::tried_again;
use crate::engine::session::Session;
use crate::error::StoreError;
use crate::failpoints;
use crate::machine::RunInfo;
use crate::model::{RunId, Timestamp, UnfitStart, recorded};
use crate::schedules::{
    Action, Closed, Config, Decision, Identity, LogKind, MAX_ROUND, NO_WORKFLOW, Start, State,
    Taken,
};
use crate::store::{
    ArrivalKind, ClaimSchedules, ClaimedSchedules, LastRun, NewArrival, NewRun, RESERVED_KEYS,
    SaveSchedule, ScheduleRecord, StartOutcome, Store,
};

/// The maximum number of schedules in one round. More would delay the first.
const MAX_CLAIMED: u32 = 500;

/// How long after a claim a schedule is due again. Longer than a round takes; actions that are late because of it
/// are still executed.
const HOLD: Duration = Duration::from_secs(10);

/// The maximum number of rounds at a time.
const MAX_ROUNDS: usize = 3;

/// Runs schedules until dropped.
pub(super) async fn run(session: &Arc<Session>) {
    if session.host.registry.workflow_names().is_empty() {
        return std::future::pending().await;
    }
    let mut backoff = Backoff::default();
    loop {
        match run_due(session).await {
            // Schedules that are due again, or were changed meanwhile, are found by the next claim.
            Ok(Handled { any: true, .. }) => backoff = Backoff::default(),
            Ok(Handled { next_due_at, .. }) => {
                backoff = Backoff::default();
                super::wait_until_due(session, session.store.hub().schedule(), next_due_at).await;
            }
            Err(error) => {
                tried_again!(
                    &error,
                    worker_id = session.lease().worker_id.0,
                    "schedules have to wait"
                );
                backoff.wait().await;
            }
        }
    }
}

/// The result of rounds.
#[derive(Default)]
struct Handled {
    /// Whether a schedule was due.
    any: bool,
    /// The next due time, by the last claim.
    next_due_at: Option<Timestamp>,
}

/// Runs rounds until a claim finds less than the maximum.
async fn run_due(session: &Arc<Session>) -> Result<Handled, StoreError> {
    let claims = stream::try_unfold(true, |is_first_or_was_full| {
        let session = Arc::clone(session);
        async move {
            if !is_first_or_was_full {
                return Ok(None);
            }
            let asked_at = Instant::now();
            let claimed = claim(&session, asked_at).await?;
            let is_full = claimed.schedules.len() == MAX_CLAIMED as usize;
            Ok(Some(((session, claimed, asked_at), is_full)))
        }
    });
    claims
        .map_ok(async |(session, claimed, asked_at)| run_once(&session, claimed, asked_at).await)
        .try_buffered(MAX_ROUNDS)
        .try_fold(Handled::default(), async |before, handled| {
            Ok(Handled { any: before.any || handled.any, ..handled })
        })
        .await
}

/// A schedule of a round.
pub(super) struct Turn {
    pub(super) record: ScheduleRecord,
    pub(super) config: Config,
    pub(super) state: State,
    pub(super) times: Times,
    taken: Taken,
    pub(super) decision: Decision,
}

impl Turn {
    /// `None`, with a warning, if another build wrote it and this one cannot read it.
    pub(super) fn of(record: ScheduleRecord) -> Option<Self> {
        let read = || -> Result<(Config, State, Times), String> {
            let config: Config = serde_json::from_str(&record.config).map_err(|e| e.to_string())?;
            let state = serde_json::from_str(&record.state).map_err(|e| e.to_string())?;
            let times = config.spec.compile().map_err(|e| e.to_string())?;
            Ok((config, state, times))
        };
        match read() {
            Ok((config, state, times)) => {
                let (taken, decision) = (Taken::default(), Decision::default());
                Some(Self { record, config, state, times, taken, decision })
            }
            Err(error) => {
                warn!(schedule = record.id, error, "a schedule waits for a build that can read it");
                None
            }
        }
    }

    /// Whether it has a workflow of which it starts runs.
    pub(super) fn starts_runs(&self) -> bool {
        self.record.workflow != NO_WORKFLOW
    }

    pub(super) fn identity(&self) -> Identity<'_> {
        Identity { id: &self.record.id, token: self.record.token }
    }
}

async fn claim(session: &Session, asked_at: Instant) -> Result<ClaimedSchedules, StoreError> {
    // Schedules without a workflow may be handled by any worker.
    let workflows = [session.host.registry.workflow_names(), &[NO_WORKFLOW]].concat();
    let request = ClaimSchedules { workflows: &workflows, limit: MAX_CLAIMED, hold: HOLD };
    let claimed = session.store.claim_schedules(request).await?;
    session.clock.observe(claimed.now, asked_at);
    Ok(claimed)
}

async fn run_once(
    session: &Session,
    claimed: ClaimedSchedules,
    asked_at: Instant,
) -> Result<Handled, StoreError> {
    let handled = Handled { any: !claimed.schedules.is_empty(), next_due_at: claimed.next_due_at };
    if !handled.any {
        return Ok(handled);
    }
    failpoints::hit("after_claim_schedules");
    let store = &*session.store;
    let now = claimed.now;
    let mut turns: Vec<Turn> = claimed.schedules.into_iter().filter_map(Turn::of).collect();
    resolve_doubts(store, &mut turns, now).await?;
    settle(store, &mut turns).await?;
    for turn in &mut turns {
        let identity = Identity { id: &turn.record.id, token: turn.record.token };
        turn.taken = turn.state.take(&turn.config, &turn.times, identity, now);
    }
    decide(store, &mut turns).await?;
    if asked_at.elapsed() > MAX_ROUND {
        // Others have claimed them by now, and whoever has changed one no longer expects runs of before.
        warn!(worker_id = session.lease().worker_id.0, "a round of schedules took too long");
        return Ok(handled);
    }
    carry_out(session, &mut turns, now).await?;
    failpoints::hit("before_save_schedules");
    let saves = turns.into_iter().map(|turn| save(turn, now)).collect();
    let saved = store.save_schedules(saves).await?;
    debug!(schedules = saved.len(), "looked after schedules");
    Ok(handled)
}

/// Looks up the runs of times that are in doubt since a change.
async fn resolve_doubts(
    store: &dyn Store,
    turns: &mut [Turn],
    now: Timestamp,
) -> Result<(), StoreError> {
    for turn in turns.iter_mut().filter(|turn| !turn.state.doubt.is_empty()) {
        let items = turn.state.in_doubt(turn.identity());
        let run_ids = items.iter().map(|(run_id, _)| *run_id).collect();
        let found = last_runs(store, run_ids).await?;
        let mut started = Vec::new();
        for (run_id, item) in items {
            if let Some(last) = found.get(&run_id).copied().flatten() {
                turn.state.was_started(run_id, &item, &mut turn.decision.log);
                turn.state.goes_on(run_id, last.run_id);
                started.push(item);
            }
        }
        turn.state.doubt.settle(&started, now);
    }
    Ok(())
}

/// Updates the statuses of the runs that are known to be open. A run with a successor is not over: to a schedule,
/// the chain is one run.
async fn settle(store: &dyn Store, turns: &mut [Turn]) -> Result<(), StoreError> {
    let open = |turn: &Turn| turn.state.running.iter().map(|run| run.run_id).collect::<Vec<_>>();
    let found = last_runs(store, turns.iter().flat_map(open).collect()).await?;
    for turn in turns {
        let mut closed = Vec::new();
        for run_id in open(turn) {
            match found.get(&run_id).copied().flatten() {
                Some(last) if last.status.is_open() => turn.state.goes_on(run_id, last.run_id),
                last => closed.push((last.and_then(|last| last.closed_at), over(run_id, last))),
            }
        }
        // Ordered by the time of closing, so that the last one is known.
        closed.sort_by_key(|(closed_at, one)| (*closed_at, one.run_id));
        let closed: Vec<Closed> = closed.into_iter().map(|(_, one)| one).collect();
        turn.state.settle(&turn.config, &closed, &mut turn.decision.log);
    }
    Ok(())
}

/// A chain that is closed.
fn over(run_id: RunId, last: Option<LastRun>) -> Closed {
    let status = last.map(|last| last.status);
    Closed { run_id, last: last.map_or(run_id, |last| last.run_id), status }
}

/// The latest runs of chains, by their first run.
async fn last_runs(
    store: &dyn Store,
    run_ids: Vec<RunId>,
) -> Result<HashMap<RunId, Option<LastRun>>, StoreError> {
    if run_ids.is_empty() {
        return Ok(HashMap::new());
    }
    let found = store.find_last_runs(&run_ids).await?;
    if found.len() != run_ids.len() {
        return Err(StoreError::Corrupt {
            what: "chains of runs",
            reason: format!("{} of {} were answered", found.len(), run_ids.len()),
        });
    }
    Ok(run_ids.into_iter().zip(found).collect())
}

/// Decides the actions of each schedule. A nominal time that appears to be missed may have been started by a worker
/// that died before it could record that.
async fn decide(store: &dyn Store, turns: &mut [Turn]) -> Result<(), StoreError> {
    for turn in turns {
        let mut closed = Vec::new();
        let missed = std::mem::take(&mut turn.taken.missed);
        let run_ids: Vec<RunId> = missed.iter().map(|item| turn.identity().run_id(item)).collect();
        let found = last_runs(store, run_ids).await?;
        let mut missing = Vec::new();
        for item in missed {
            let run_id = turn.identity().run_id(&item);
            let Some(last) = found.get(&run_id).copied().flatten() else {
                missing.push(item);
                continue;
            };
            turn.state.was_started(run_id, &item, &mut turn.decision.log);
            match last.status.is_open() {
                true => turn.state.goes_on(run_id, last.run_id),
                false => closed.push(over(run_id, Some(last))),
            }
        }
        let identity = Identity { id: &turn.record.id, token: turn.record.token };
        let mut log = std::mem::take(&mut turn.decision.log);
        turn.state.settle(&turn.config, &closed, &mut log);
        turn.decision = turn.state.decide(&turn.config, identity, &turn.taken, &missing, log);
    }
    Ok(())
}

/// Ends runs that overlap, and starts the new runs of all schedules together.
async fn carry_out(
    session: &Session,
    turns: &mut [Turn],
    now: Timestamp,
) -> Result<(), StoreError> {
    let store = &*session.store;
    let mut cancels = Vec::new();
    for turn in turns.iter() {
        for run_id in &turn.decision.terminate {
            let reason = format!("schedule `{}` starts another run", turn.record.id);
            terminate_chain(store, *run_id, &reason).await?;
        }
        let reason = format!("schedule `{}` is to start another run", turn.record.id);
        cancels.extend(turn.decision.cancel.iter().map(|run_id| NewArrival {
            run_id: *run_id,
            kind: ArrivalKind::Cancel { reason: reason.clone() },
            // A successor takes over the dedup keys, and is asked separately.
            dedup_key: Some(format!("{RESERVED_KEYS}schedule:{}:{run_id}", turn.record.token)),
            owner: None,
        }));
    }
    if !cancels.is_empty() {
        store.deliver(cancels).await?;
    }
    record_definitions(session, turns).await?;
    // Another build may have made the schedule.
    let starts = turns.iter().filter(|turn| !turn.decision.start.is_empty());
    learn_schemas_of(store, starts.map(|turn| &turn.record.arguments)).await?;
    scheduled_signals::send_all(session, turns, now).await?;
    let mut runs = Vec::new();
    let mut places = Vec::new();
    for (at, turn) in turns.iter_mut().enumerate() {
        for start in std::mem::take(&mut turn.decision.start) {
            match new_run(session, turn, &start, now) {
                Ok(run) => {
                    runs.push(run);
                    places.push((at, start));
                }
                Err(reason) => {
                    let why = LogKind::CannotStart { reason };
                    turn.state.refused(&start, &why, &mut turn.decision.log);
                }
            }
        }
    }
    if runs.is_empty() {
        return Ok(());
    }
    let outcomes = store.start_runs(runs).await?;
    failpoints::hit("after_start_scheduled");
    for ((at, start), outcome) in places.iter().zip(outcomes) {
        if let StartOutcome::IdTaken { run_id } = outcome {
            let turn = &mut turns[*at];
            let why = LogKind::IdTaken { by: run_id };
            turn.state.refused(start, &why, &mut turn.decision.log);
        }
    }
    Ok(())
}

/// Readers of the runs must find their definitions.
async fn record_definitions(session: &Session, turns: &[Turn]) -> Result<(), StoreError> {
    let host = &session.host;
    let entries = turns.iter().filter_map(|turn| host.registry.workflow(&turn.record.workflow));
    for entry in entries {
        host.recorded.definition_of(&*session.store, entry).await?;
    }
    Ok(())
}

/// Ends a chain at its latest run.
async fn terminate_chain(store: &dyn Store, first: RunId, reason: &str) -> Result<(), StoreError> {
    loop {
        let last = store.find_last_runs(&[first]).await?.pop().flatten();
        let Some(last) = last.filter(|last| last.status.is_open()) else { return Ok(()) };
        if store.terminate_run(last.run_id, reason).await? {
            return Ok(());
        }
        // It closed meanwhile, and may have a successor.
    }
}

/// The run that an action starts.
///
/// # Errors
/// Why it cannot be started.
pub(super) fn new_run(
    session: &Session,
    turn: &Turn,
    start: &Start,
    now: Timestamp,
) -> Result<NewRun, String> {
    let entry = session.host.registry.workflow(&turn.record.workflow);
    let entry = entry.ok_or(UnfitStart::MissingWorkflow);
    let fitting =
        entry.and_then(|entry| check_start(entry, &turn.record.arguments).map(|()| entry));
    let entry = fitting.map_err(|unfit| recorded(format!("{unfit}; {}", unfit.help())))?;
    let workflow_id = turn.config.action.workflow_id(&turn.record.id, start.item.nominal);
    let run = RunInfo { run_id: start.run_id, workflow_id: workflow_id.as_str().into() };
    let arguments = turn.record.arguments.clone();
    let run = first_state(entry, entry.name, run, arguments).map_err(|error| error.to_string())?;
    let Action { terms, attributes, memo, .. } = turn.config.action.clone();
    let terms = terms.into_terms().map(|terms| Box::new(terms.begin(now)));
    Ok(NewRun { terms, attributes, memo, ..run })
}

fn save(turn: Turn, now: Timestamp) -> SaveSchedule {
    let due_at = turn.state.due_at(&turn.config, &turn.taken, now);
    SaveSchedule {
        // Structs of texts and numbers always have a JSON form.
        state: serde_json::to_string(&turn.state).unwrap_or_default(),
        id: turn.record.id,
        token: turn.record.token,
        version: turn.record.version,
        due_at,
        change: None,
        log: turn.decision.log,
    }
}
