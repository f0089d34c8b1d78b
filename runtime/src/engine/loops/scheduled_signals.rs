//! Sends the signals of due schedules.
//!
//! A signal has a dedup key made of the schedule and the nominal time. The receiving run keeps the key even when it
//! is closed, and passes it to its successors. A signal that is sent again, because a worker died before that was
//! recorded, is therefore not delivered twice.

use crate::engine::session::Session;
use crate::error::StoreError;
use crate::model::{RunId, Timestamp};
use crate::schedules::{LogKind, SignalAction, Start, entry};
use crate::store::{
    ArrivalKind, ArrivalOutcome, FirstArrival, NewArrival, NewRun, RESERVED_KEYS, RunKey,
    StartOutcome, Store,
};

use super::schedules::{Turn, new_run};

/// How often to look for another run after the target has closed meanwhile.
const MAX_TRIES: usize = 5;

/// Sends due signals: those of one schedule in order, those of several schedules concurrently.
pub(super) async fn send_all(
    session: &Session,
    turns: &mut [Turn],
    now: Timestamp,
) -> Result<(), StoreError> {
    let turns = turns.iter_mut().filter_map(|turn| {
        let signal = turn.config.action.signal.clone()?;
        Some(send_of(session, turn, signal, now))
    });
    futures_util::future::try_join_all(turns).await.map(drop)
}

async fn send_of(
    session: &Session,
    turn: &mut Turn,
    signal: SignalAction,
    now: Timestamp,
) -> Result<(), StoreError> {
    for start in std::mem::take(&mut turn.decision.start) {
        let nominal = Some(start.item.nominal);
        match send(session, turn, &signal, &start, now).await? {
            Ok(run_id) => {
                let what = LogKind::Signalled { signal: signal.name.clone() };
                turn.decision.log.push(entry(&what, nominal, Some(run_id)));
            }
            Err(why) => turn.state.refused(&start, &why, &mut turn.decision.log),
        }
    }
    Ok(())
}

/// Returns the run that received the signal, or why there is none.
async fn send(
    session: &Session,
    turn: &Turn,
    signal: &SignalAction,
    start: &Start,
    now: Timestamp,
) -> Result<Result<RunId, LogKind>, StoreError> {
    let store = &*session.store;
    let workflow_id = turn.config.action.workflow_id(&turn.record.id, start.item.nominal);
    let SignalAction { name, payload } = signal;
    let first = FirstArrival {
        kind: ArrivalKind::Signal { name: name.clone(), payload: payload.clone() },
        dedup_key: Some(format!("{RESERVED_KEYS}schedule:{}", start.run_id)),
    };
    for _ in 0..MAX_TRIES {
        let found = store.find_run(&RunKey::WorkflowId(workflow_id.clone())).await?;
        if let Some(run) = found {
            let is_other = turn.starts_runs() && run.workflow != turn.record.workflow;
            if is_other && run.status.is_open() {
                return Ok(Err(LogKind::IdTaken { by: run.run_id }));
            }
            // A closed run may have received it before.
            if deliver(store, run.run_id, first.clone()).await? {
                return Ok(Ok(run.run_id));
            }
            if run.status.is_open() {
                // It has closed meanwhile, and another run may have its id.
                continue;
            }
        }
        if !turn.starts_runs() {
            return Ok(Err(LogKind::NoRun { workflow_id }));
        }
        let run = match new_run(session, turn, start, now) {
            Ok(run) => NewRun { first: Some(first.clone()), ..run },
            Err(reason) => return Ok(Err(LogKind::CannotStart { reason })),
        };
        match store.start_runs(vec![run]).await?.pop() {
            // Another run was started meanwhile.
            Some(StartOutcome::IdTaken { .. }) => {}
            _ => return Ok(Ok(start.run_id)),
        }
    }
    let reason = format!("the runs with the workflow id `{workflow_id}` close too fast");
    Ok(Err(LogKind::CannotStart { reason }))
}

/// Returns whether the run has the signal, from this call or an earlier one.
async fn deliver(
    store: &dyn Store,
    run_id: RunId,
    first: FirstArrival,
) -> Result<bool, StoreError> {
    let FirstArrival { kind, dedup_key } = first;
    let outcomes = store.deliver(vec![NewArrival { run_id, kind, dedup_key, owner: None }]).await?;
    let is_there = |outcome: &ArrivalOutcome| {
        use ArrivalOutcome::{Accepted, Duplicate, KeyTaken};
        matches!(outcome, Accepted { .. } | Duplicate | KeyTaken { .. })
    };
    Ok(outcomes.first().is_some_and(is_there))
}
