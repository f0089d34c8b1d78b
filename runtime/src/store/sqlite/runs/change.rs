//! Changes of runs by operators.

use uuid::Uuid;

use super::blocked::UNBLOCK_RUN;
use super::{pause, terminate};
use crate::error::StoreError;
use crate::model::RunId;
use crate::store::contract::changes::arrival;
use crate::store::recipients::Question;
use crate::store::rows::first_of;
use crate::store::sqlite::messages::{add_arrivals, add_counts, find_recipients};
use crate::store::sqlite::retention::add_removal;
use crate::store::sqlite::script::Script;
use crate::store::sqlite::{SqliteStore, audit, failed};
use crate::store::{
    ArrivalKind, ArrivalOutcome, ChangeOutcome, ChangeRun, NewAuditEntry, RunChange, RunEvent,
};

const IS_OPEN_IN_CHAIN: &str = concat!(
    "SELECT closed_at IS NULL, ",
    first_of!("piton_runs.run_id"),
    " FROM piton_runs WHERE run_id = ?; "
);

const IS_OPEN: &str = "SELECT closed_at IS NULL FROM piton_runs WHERE run_id = ?; ";

pub(super) async fn change(
    store: &SqliteStore,
    change: ChangeRun,
) -> Result<ChangeOutcome, StoreError> {
    let ChangeRun { run_id, change, audit } = change;
    match change {
        RunChange::Deliver { kind, dedup_key } => {
            deliver(store, run_id, kind, dedup_key, &audit).await
        }
        RunChange::Terminate { reason } => {
            let outcome = terminate::terminate(store, run_id, &reason, Some(&audit)).await?;
            if let Some(outcome) = outcome {
                return Ok(outcome);
            }
            Ok(ChangeOutcome::of_unchanged(is_open(store, run_id).await?))
        }
        RunChange::Unblock => unblock(store, run_id, &audit).await,
        RunChange::Pause => pause::pause(store, run_id, &audit).await,
        RunChange::Resume => pause::resume(store, run_id, &audit).await,
        RunChange::Delete => delete(store, run_id, &audit).await,
    }
}

async fn is_open(store: &SqliteStore, run_id: RunId) -> Result<Option<bool>, StoreError> {
    let mut script = Script::new();
    script.sql(IS_OPEN).bind(run_id.as_uuid());
    let rows = store.read(script).await.and_then(|mut rows| rows.read::<(bool,)>(0));
    Ok(rows.map_err(failed("change_run"))?.pop().map(|(is_open,)| is_open))
}

async fn deliver(
    store: &SqliteStore,
    run_id: RunId,
    kind: ArrivalKind,
    dedup_key: Option<String>,
    audit: &NewAuditEntry,
) -> Result<ChangeOutcome, StoreError> {
    let failed = failed("change_run");
    let arrivals = [arrival(run_id, kind, dedup_key)];
    let mut turn = store.turn().await;
    let now = store.moment();
    let question = Question::of_arrivals(&arrivals);
    let mut recipients = find_recipients(&mut turn, &question, now).await.map_err(failed)??;
    let outcome = recipients.accept(&arrivals[0]);
    let changed = ChangeOutcome::of_arrival(&outcome);
    if !matches!(outcome, ArrivalOutcome::Accepted { .. }) {
        turn.roll_back().await;
        return Ok(changed);
    }
    let (woken, told) = recipients.grown();
    let mut script = Script::new();
    add_arrivals(&mut script, &arrivals, &[outcome], now.time)?;
    add_counts(&mut script, (&woken, &told), now.time);
    audit::add(&mut script, now.time, Some(run_id), audit);
    script.sql("COMMIT");
    turn.commit(script).await.map_err(failed)?;
    store.hub.announce(RunEvent::Arrival(run_id));
    if !woken.is_empty() {
        store.hub.announce_due();
    }
    Ok(changed)
}

async fn unblock(
    store: &SqliteStore,
    run_id: RunId,
    audit: &NewAuditEntry,
) -> Result<ChangeOutcome, StoreError> {
    let failed = failed("change_run");
    let now = store.time();
    let mut script = Script::new();
    script.sql("BEGIN IMMEDIATE; ").sql(IS_OPEN).sql(UNBLOCK_RUN);
    script.bind(run_id.as_uuid()).bind(now.as_micros()).bind(run_id.as_uuid());
    let mut turn = store.turn().await;
    let mut rows = turn.begin(script).await.map_err(failed)?;
    if !rows.any(2) {
        turn.roll_back().await;
        let is_open = rows.read::<(bool,)>(1).map_err(failed)?.pop().map(|(is_open,)| is_open);
        return Ok(ChangeOutcome::of_unchanged(is_open));
    }
    let mut script = Script::new();
    audit::add(&mut script, now, Some(run_id), audit);
    script.sql("COMMIT");
    turn.commit(script).await.map_err(failed)?;
    store.hub.announce_due();
    Ok(ChangeOutcome::Changed)
}

async fn delete(
    store: &SqliteStore,
    run_id: RunId,
    audit: &NewAuditEntry,
) -> Result<ChangeOutcome, StoreError> {
    let failed = failed("change_run");
    let mut script = Script::new();
    script.sql("BEGIN IMMEDIATE; ").sql(IS_OPEN_IN_CHAIN).bind(run_id.as_uuid());
    let mut turn = store.turn().await;
    let mut rows = turn.begin(script).await.map_err(failed)?;
    let chain = match rows.read::<(bool, Uuid)>(1).map_err(failed)?.pop() {
        Some((false, chain)) => chain,
        found => {
            turn.roll_back().await;
            return Ok(found.map_or(ChangeOutcome::Unknown, |_| ChangeOutcome::Open));
        }
    };
    let mut script = Script::new();
    add_removal(&mut script, &[(run_id.as_uuid(), chain)]);
    audit::add(&mut script, store.time(), Some(run_id), audit);
    script.sql("COMMIT");
    turn.commit(script).await.map_err(failed)?;
    Ok(ChangeOutcome::Changed)
}
