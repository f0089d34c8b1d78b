//! Edits of runs by hand.

use uuid::Uuid;

use crate::error::StoreError;
use crate::model::Timestamp;
use crate::store::effects::{Effects, check};
use crate::store::recipients::Question;
use crate::store::rows::EditedRow;
use crate::store::sqlite::messages::{add_arrivals, add_counts, look_up};
use crate::store::sqlite::script::Script;
use crate::store::sqlite::{SqliteStore, audit, effects, failed, failed_calls};
use crate::store::{EditOutcome, EditRun};

const LOOK: &str = "BEGIN IMMEDIATE; \
    SELECT step_no, status, worker_id, workflow_id FROM piton_runs WHERE run_id = ?; \
    SELECT run_id FROM piton_runs WHERE closed_at IS NULL \
    AND workflow_id = (SELECT workflow_id FROM piton_runs WHERE run_id = ?)";

const EDIT: &str = "UPDATE piton_runs SET step_no = step_no + 1, stepped_at = ?, takeovers = 0, state = ?, snapshot = ?, \
    definition = ?, status = CASE status WHEN 'paused' THEN status ELSE 'running' END, closed_at = NULL, blocked = NULL, blocked_at = NULL, \
    result = NULL, failure = NULL, \
    due_at = CASE WHEN status = 'paused' THEN NULL \
    WHEN EXISTS (SELECT 1 FROM piton_inbox WHERE piton_inbox.run_id = piton_runs.run_id) \
    THEN min(coalesce(?, ?), ?) ELSE ? END WHERE run_id = ? RETURNING due_at IS NOT NULL; ";

/// Of activities that the edit has put on queues.
const ATTEMPTS: &str = "UPDATE piton_activities SET attempt = ? WHERE run_id = ? AND attempt = 0; ";

/// A run that was about to be paused when it closed.
pub(super) const FORGET_PAUSE: &str = "DELETE FROM piton_pauses WHERE run_id = ?; ";

pub(super) async fn edit(store: &SqliteStore, edit: EditRun) -> Result<EditOutcome, StoreError> {
    let (failed, run_id) = (failed("edit_run"), edit.run_id);
    let mut script = Script::new();
    script.sql(LOOK).bind(run_id.as_uuid()).bind(run_id.as_uuid());
    let mut turn = store.turn().await;
    let mut rows = turn.begin(script).await.map_err(failed)?;
    let run: Option<EditedRow> = rows.read(1).map_err(failed)?.pop();
    let open: Option<(Uuid,)> = rows.read(2).map_err(failed)?.pop();
    let obstacle = match &run {
        None => Some(EditOutcome::Unknown),
        Some(run) => match (run.obstacle(&edit)?, open) {
            (None, Some((open,))) if run.is_closed()? => {
                Some(EditOutcome::IdTaken { run_id: open.into() })
            }
            (obstacle, _) => obstacle,
        },
    };
    if let Some(obstacle) = obstacle {
        turn.roll_back().await;
        return Ok(obstacle);
    }
    let called_again = failed_calls::take(&mut turn, &edit.called_again).await;
    if !called_again.map_err(failed)? {
        turn.roll_back().await;
        return Ok(EditOutcome::CallGone);
    }
    let is_opened = run.is_some_and(|run| run.is_closed().unwrap_or_default());
    let arrivals = edit.new_arrivals();
    let moment = store.moment();
    let mut recipients = match arrivals.is_empty() {
        true => None,
        false => {
            let question = Question::of_arrivals(&arrivals);
            Some(look_up(&mut turn, &question, moment).await.map_err(failed)??)
        }
    };
    let now = moment.time;
    let step = edit.step();
    check(&[&step])?;
    let effects = Effects::of(std::iter::once(&step));
    let EditRun { state, snapshot, definition, wake_at, attempts, audit, .. } = edit;
    let mut script = Script::new();
    script
        .sql(EDIT)
        .bind(now.as_micros())
        .bind(state)
        .bind(snapshot)
        .bind(definition.0.cast_signed());
    let wake_at = wake_at.map(Timestamp::as_micros);
    script.bind(wake_at).bind(now.as_micros()).bind(now.as_micros()).bind(wake_at);
    script.bind(run_id.as_uuid());
    let given_up = effects::add(&mut script, &effects, now)?;
    if is_opened {
        script.sql(FORGET_PAUSE).bind(run_id.as_uuid());
    }
    if attempts > 0 && !effects.enqueued.is_empty() {
        script.sql(ATTEMPTS).bind(attempts).bind(run_id.as_uuid());
    }
    audit::add(&mut script, now, Some(run_id), &audit);
    if let Some(recipients) = &mut recipients {
        let outcomes: Vec<_> = arrivals.iter().map(|arrival| recipients.accept(arrival)).collect();
        let (woken, told) = recipients.grown();
        add_arrivals(&mut script, &arrivals, &outcomes, now)?;
        add_counts(&mut script, (&woken, &told), now);
    }
    script.sql("COMMIT");
    let mut rows = turn.commit(script).await.map_err(failed)?;
    effects::announce(store, &effects, &mut rows, 1..1 + given_up).map_err(failed)?;
    if !effects.sent.is_empty() {
        store.hub.announce_sent(run_id);
    }
    if rows.scalar(0).map_err(failed)? || !arrivals.is_empty() {
        store.hub.announce_due();
    }
    Ok(EditOutcome::Edited)
}
