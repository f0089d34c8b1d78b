//! Pausing and resuming runs.

use super::edit::FORGET_PAUSE;
use crate::error::StoreError;
use crate::model::RunId;
use crate::store::contract::changes::arrival;
use crate::store::contract::pauses::{Pausable, Pausing};
use crate::store::recipients::Question;
use crate::store::rows::{ArrivalRow, PausableRow, workers_died};
use crate::store::sqlite::messages::{add_arrivals, add_counts, look_up};
use crate::store::sqlite::script::Script;
use crate::store::sqlite::{SqliteStore, Turn, audit, failed};
use crate::store::{ArrivalKind, ChangeOutcome, NewAuditEntry, RunEvent};

const LOOK: &str = "BEGIN IMMEDIATE; \
    SELECT status, worker_id IS NOT NULL AS is_owned, run.due_at, step_no, pause.run_id IS NOT NULL AS is_asked, \
    pause.due_at AS due_before FROM piton_runs AS run LEFT JOIN piton_pauses AS pause USING (run_id) \
    WHERE run_id = ?";

const ASK: &str = "INSERT OR REPLACE INTO piton_pauses (run_id, paused_at, who, reason, due_at) \
    VALUES (?, ?, ?, ?, ?); ";

const PAUSE: &str = concat!(
    "UPDATE piton_runs SET status = 'paused', due_at = NULL, takeovers = CASE WHEN ",
    workers_died!("coalesce(blocked, '')"),
    " THEN min(takeovers, 1) ELSE takeovers END, blocked = NULL, blocked_at = NULL WHERE run_id = ?; "
);

const RESUME: &str = "UPDATE piton_runs SET status = 'running', due_at = ? WHERE run_id = ?; ";

const UNREAD: &str = "SELECT run_id, seq, arrival FROM piton_inbox WHERE run_id = ? ORDER BY seq";

/// Reads a run. The transaction stays open if the run exists.
async fn look(
    store: &SqliteStore,
    run_id: RunId,
) -> Result<Option<(Turn, PausableRow)>, sqlx::Error> {
    let mut script = Script::new();
    script.sql(LOOK).bind(run_id.as_uuid());
    let mut turn = store.turn().await;
    let mut rows = turn.begin(script).await?;
    match rows.read::<PausableRow>(1)?.pop() {
        Some(row) => Ok(Some((turn, row))),
        None => {
            turn.roll_back().await;
            Ok(None)
        }
    }
}

pub(super) async fn pause(
    store: &SqliteStore,
    run_id: RunId,
    audit: &NewAuditEntry,
) -> Result<ChangeOutcome, StoreError> {
    let failed = failed("change_run");
    let Some((mut turn, row)) = look(store, run_id).await.map_err(failed)? else {
        return Ok(ChangeOutcome::Unknown);
    };
    let pausing = match Pausable::try_from(&row)?.pause() {
        Ok(pausing) => pausing,
        Err(outcome) => {
            turn.roll_back().await;
            return Ok(outcome);
        }
    };
    let moment = store.moment();
    let mut script = Script::new();
    script.sql(ASK).bind(run_id.as_uuid()).bind(moment.as_micros());
    script.bind(audit.who.clone()).bind(audit.reason.clone()).bind(row.due_unbegun());
    match pausing {
        Pausing::Now => _ = script.sql(PAUSE).bind(run_id.as_uuid()),
        Pausing::ByOwner => {
            let arrivals = [arrival(run_id, ArrivalKind::Pause, None)];
            let question = Question::of_arrivals(&arrivals);
            let mut recipients = look_up(&mut turn, &question, moment).await.map_err(failed)??;
            let outcomes = [recipients.accept(&arrivals[0])];
            let (woken, told) = recipients.grown();
            add_arrivals(&mut script, &arrivals, &outcomes, moment.time)?;
            add_counts(&mut script, (&woken, &told), moment.time);
        }
    }
    audit::add(&mut script, moment.time, Some(run_id), audit);
    script.sql("COMMIT");
    turn.commit(script).await.map_err(failed)?;
    if pausing == Pausing::ByOwner {
        store.hub.announce(RunEvent::Arrival(run_id));
    }
    Ok(ChangeOutcome::Changed)
}

pub(super) async fn resume(
    store: &SqliteStore,
    run_id: RunId,
    audit: &NewAuditEntry,
) -> Result<ChangeOutcome, StoreError> {
    let failed = failed("change_run");
    let Some((mut turn, row)) = look(store, run_id).await.map_err(failed)? else {
        return Ok(ChangeOutcome::Unknown);
    };
    let goes_on = match Pausable::try_from(&row)?.resume() {
        Ok(goes_on) => goes_on,
        Err(outcome) => {
            turn.roll_back().await;
            return Ok(outcome);
        }
    };
    let now = store.time();
    let mut script = Script::new();
    script.sql(FORGET_PAUSE).bind(run_id.as_uuid());
    if goes_on {
        let mut unread = Script::new();
        unread.sql(UNREAD).bind(run_id.as_uuid());
        let mut rows = turn.go_on(unread).await.map_err(failed)?;
        let unread = rows.read::<ArrivalRow>(0).map_err(failed)?;
        script
            .sql(RESUME)
            .bind(row.due_again(unread).unwrap_or(now.as_micros()))
            .bind(run_id.as_uuid());
    }
    audit::add(&mut script, now, Some(run_id), audit);
    script.sql("COMMIT");
    turn.commit(script).await.map_err(failed)?;
    if goes_on {
        store.hub.announce_due();
    }
    Ok(ChangeOutcome::Changed)
}
