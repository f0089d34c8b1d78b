//! Schedules, and which of them are due.

use std::collections::HashMap;

use async_trait::async_trait;
use sqlx::FromRow;

use super::script::{MAX_ROWS, Script};
use super::{SqliteStore, failed};
use crate::error::StoreError;
use crate::model::Timestamp;
use crate::store::rows::{ScheduleLogRow, ScheduleRow, schedule_columns, schedule_log_columns};
use crate::store::weight::fits;
use crate::store::{
    ClaimSchedules, ClaimedSchedules, MAX_SCHEDULE_LOG, NewSchedule, NewScheduleLogEntry,
    SaveSchedule, ScheduleCreated, ScheduleLogEntry, ScheduleRecord, Schedules,
};

const INSERT: &str = "BEGIN IMMEDIATE; INSERT INTO piton_schedules \
    (schedule_id, token, workflow, arguments, config, state, due_at, created_at, log_count) \
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING RETURNING 1; \
    SELECT 1 FROM piton_schedules WHERE schedule_id = ? AND token = ?";

const FIND: &str = concat!(
    "SELECT ",
    schedule_columns!("piton_schedules"),
    " FROM piton_schedules WHERE schedule_id = ?"
);

/// Null means any. Rows that do not fit in the response are not read.
const LIST: &str = concat!(
    "SELECT ",
    schedule_columns!("sized"),
    " FROM (SELECT *, sum(bytes) OVER (ORDER BY schedule_id) AS upto FROM \
     (SELECT *, length(arguments) + length(CAST(config || state AS BLOB)) AS bytes \
     FROM piton_schedules WHERE (?1 IS NULL OR workflow = ?1) AND (?2 IS NULL OR schedule_id > ?2) \
     ORDER BY schedule_id LIMIT ?3)) AS sized WHERE ",
    fits!("sized"),
    " ORDER BY schedule_id"
);

const COUNT: &str = "SELECT count(*) FROM piton_schedules WHERE ?1 IS NULL OR workflow = ?1";

pub(super) const NEXT: &str =
    "SELECT min(due_at) FROM piton_schedules WHERE due_at IS NOT NULL AND workflow IN (";

pub(super) const CLAIM: &str = "UPDATE piton_schedules SET version = version + 1, due_at = ? WHERE schedule_id IN \
    (SELECT schedule_id FROM piton_schedules WHERE due_at <= ? AND workflow IN (";

pub(super) const CLAIM_END: &str = concat!(
    ") ORDER BY due_at, schedule_id LIMIT ?) RETURNING ",
    schedule_columns!("piton_schedules")
);

const SAVE: &str = "BEGIN IMMEDIATE; \
    UPDATE piton_schedules SET version = version + 1, state = new.column4, due_at = new.column5, \
    log_count = log_count + new.column6, workflow = coalesce(new.column7, workflow), \
    arguments = coalesce(new.column8, arguments), config = coalesce(new.column9, config), \
    revision = revision + (new.column9 IS NOT NULL) FROM (";

const SAVE_END: &str = ") AS new WHERE schedule_id = new.column1 AND token = new.column2 \
    AND version = new.column3 RETURNING schedule_id, log_count";

const INSERT_LOG: &str = "INSERT INTO piton_schedule_log (schedule_id, seq, kind, nominal_at, run_id, details, at) \
    SELECT column1, column2, column3, column4, column5, column6, ? FROM (";

const PRUNE: &str = "DELETE FROM piton_schedule_log WHERE rowid IN (SELECT old.rowid FROM (";

const PRUNE_END: &str = ") AS past JOIN piton_schedule_log AS old \
    ON old.schedule_id = past.column1 AND old.seq <= past.column2); ";

const DELETE: &str = "DELETE FROM piton_schedules WHERE schedule_id = ? RETURNING 1";

const LOG: &str = concat!(
    "SELECT ",
    schedule_log_columns!(),
    " FROM (SELECT *, sum(bytes) OVER (ORDER BY seq DESC) AS upto FROM \
     (SELECT *, coalesce(length(CAST(details AS BLOB)), 0) AS bytes FROM piton_schedule_log \
     WHERE schedule_id = ? AND seq < coalesce(?, 9223372036854775807) ORDER BY seq DESC LIMIT ?)) \
     AS sized WHERE ",
    fits!("sized"),
    " ORDER BY seq DESC"
);

/// A written schedule, with the number of log entries it has ever had.
#[derive(FromRow)]
struct SavedRow {
    schedule_id: String,
    log_count: i64,
}

#[async_trait]
impl Schedules for SqliteStore {
    async fn create_schedule(&self, schedule: NewSchedule) -> Result<ScheduleCreated, StoreError> {
        let failed = failed("create_schedule");
        let mut turn = self.turn().await;
        let now = self.time();
        let mut script = Script::new();
        script.sql(INSERT);
        script.bind(schedule.id.clone()).bind(schedule.token).bind(schedule.workflow);
        script.bind(schedule.arguments.0).bind(schedule.config).bind(schedule.state);
        script.bind(schedule.due_at.map(Timestamp::as_micros)).bind(now.as_micros());
        script.bind(schedule.log.len() as i64);
        script.bind(schedule.id.clone()).bind(schedule.token);
        let rows = turn.begin(script).await.map_err(failed)?;
        if !rows.any(1) {
            turn.roll_back().await;
            return Ok(created(rows.any(2)));
        }
        let mut script = Script::new();
        let entries =
            (1..).zip(&schedule.log).map(|(seq, entry)| (schedule.id.as_str(), seq, entry));
        add_log(&mut script, &entries.collect::<Vec<_>>(), now);
        script.sql("COMMIT");
        turn.commit(script).await.map_err(failed)?;
        self.hub.announce_schedule();
        Ok(ScheduleCreated::Created)
    }

    async fn find_schedule(&self, id: &str) -> Result<Option<ScheduleRecord>, StoreError> {
        let mut script = Script::new();
        script.sql(FIND).bind(id.to_owned());
        let rows = self.read(script).await.and_then(|mut rows| rows.read::<ScheduleRow>(0));
        Ok(rows.map_err(failed("find_schedule"))?.pop().map(Into::into))
    }

    async fn list_schedules(
        &self,
        workflow: Option<&str>,
        after: Option<&str>,
        limit: u32,
    ) -> Result<Vec<ScheduleRecord>, StoreError> {
        let mut script = Script::new();
        script.sql(LIST).bind(workflow.map(str::to_owned));
        script.bind(after.map(str::to_owned)).bind(limit);
        let rows = self.read(script).await.and_then(|mut rows| rows.read::<ScheduleRow>(0));
        Ok(rows.map_err(failed("list_schedules"))?.into_iter().map(Into::into).collect())
    }

    async fn count_schedules(&self, workflow: Option<&str>) -> Result<u64, StoreError> {
        let mut script = Script::new();
        script.sql(COUNT).bind(workflow.map(str::to_owned));
        let count = self.read(script).await.and_then(|mut rows| rows.scalar::<i64>(0));
        Ok(count.map_err(failed("count_schedules"))?.unsigned_abs())
    }

    async fn claim_schedules(
        &self,
        request: ClaimSchedules<'_>,
    ) -> Result<ClaimedSchedules, StoreError> {
        let failed = failed("claim_schedules");
        let now = self.time();
        let next = |mut rows: super::script::Rows, at| {
            rows.scalar::<Option<i64>>(at).map(|due_at| due_at.map(Timestamp))
        };
        let mut claimed = ClaimedSchedules { now, ..ClaimedSchedules::default() };
        if request.workflows.is_empty() {
            return Ok(claimed);
        }
        let mut script = Script::new();
        add_names(script.sql(NEXT), request.workflows).sql(")");
        let rows = self.read(script).await;
        claimed.next_due_at = rows.and_then(|rows| next(rows, 0)).map_err(failed)?;
        if claimed.next_due_at.is_none_or(|due_at| due_at > now) {
            return Ok(claimed);
        }
        let mut script = Script::new();
        script.sql(CLAIM).bind((now + request.hold).as_micros()).bind(now.as_micros());
        add_names(&mut script, request.workflows).sql(CLAIM_END).bind(request.limit);
        add_names(script.sql("; ").sql(NEXT), request.workflows).sql(")");
        let mut rows = self.turn().await.run(script).await.map_err(failed)?;
        let found: Vec<ScheduleRow> = rows.read(0).map_err(failed)?;
        claimed.schedules = found.into_iter().map(Into::into).collect();
        claimed.next_due_at = next(rows, 1).map_err(failed)?;
        Ok(claimed)
    }

    async fn save_schedules(&self, changes: Vec<SaveSchedule>) -> Result<Vec<bool>, StoreError> {
        let mut saved = Vec::with_capacity(changes.len());
        for changes in changes.chunks(MAX_ROWS) {
            saved.extend(save_some(self, changes).await?);
        }
        self.hub.announce_schedule();
        Ok(saved)
    }

    async fn delete_schedule(&self, id: &str) -> Result<bool, StoreError> {
        let mut script = Script::new();
        script.sql(DELETE).bind(id.to_owned());
        let rows = self.turn().await.run(script).await.map_err(failed("delete_schedule"))?;
        Ok(rows.any(0))
    }

    async fn list_schedule_log(
        &self,
        id: &str,
        before: Option<i64>,
        limit: u32,
    ) -> Result<Vec<ScheduleLogEntry>, StoreError> {
        let mut script = Script::new();
        script.sql(LOG).bind(id.to_owned()).bind(before).bind(limit);
        let rows = self.read(script).await.and_then(|mut rows| rows.read::<ScheduleLogRow>(0));
        Ok(rows.map_err(failed("list_schedule_log"))?.into_iter().map(Into::into).collect())
    }
}

fn created(is_the_same: bool) -> ScheduleCreated {
    if is_the_same { ScheduleCreated::Created } else { ScheduleCreated::IdTaken }
}

async fn save_some(store: &SqliteStore, changes: &[SaveSchedule]) -> Result<Vec<bool>, StoreError> {
    let failed = failed("save_schedules");
    let mut turn = store.turn().await;
    let now = store.time();
    let mut script = Script::new();
    script.sql(SAVE).values(9, changes.iter(), |script, save| {
        let change = save.change.as_ref();
        script.bind(save.id.clone()).bind(save.token).bind(save.version);
        script.bind(save.state.clone()).bind(save.due_at.map(Timestamp::as_micros));
        script.bind(save.log.len() as i64).bind(change.map(|change| change.workflow.clone()));
        script.bind(change.map(|change| change.arguments.0.clone()));
        script.bind(change.map(|change| change.config.clone()));
    });
    script.sql(SAVE_END);
    let rows: Vec<SavedRow> =
        turn.begin(script).await.and_then(|mut rows| rows.read(1)).map_err(failed)?;
    let counts: HashMap<&str, i64> =
        rows.iter().map(|row| (row.schedule_id.as_str(), row.log_count)).collect();
    let mut entries = Vec::new();
    let mut past = Vec::new();
    for save in changes {
        let Some(count) = counts.get(save.id.as_str()) else { continue };
        let first = count - save.log.len() as i64 + 1;
        entries.extend((first..).zip(&save.log).map(|(seq, entry)| (save.id.as_str(), seq, entry)));
        if *count > i64::from(MAX_SCHEDULE_LOG) && !save.log.is_empty() {
            past.push((save.id.as_str(), count - i64::from(MAX_SCHEDULE_LOG)));
        }
    }
    let mut script = Script::new();
    add_log(&mut script, &entries, now);
    if !past.is_empty() {
        script.sql(PRUNE).values(2, past.iter(), |script, (id, seq)| {
            script.bind((*id).to_owned()).bind(*seq);
        });
        script.sql(PRUNE_END);
    }
    script.sql("COMMIT");
    turn.commit(script).await.map_err(failed)?;
    Ok(changes.iter().map(|save| counts.contains_key(save.id.as_str())).collect())
}

fn add_log(script: &mut Script, entries: &[(&str, i64, &NewScheduleLogEntry)], now: Timestamp) {
    for entries in entries.chunks(MAX_ROWS) {
        script.sql(INSERT_LOG).bind(now.as_micros());
        script.values(6, entries.iter(), |script, (id, seq, entry)| {
            script.bind((*id).to_owned()).bind(*seq).bind(entry.kind.clone());
            script.bind(entry.nominal_at.map(Timestamp::as_micros));
            script.bind(entry.run_id.map(|run_id| run_id.as_uuid())).bind(entry.details.clone());
        });
        script.sql(") WHERE column1 IS NOT NULL; ");
    }
}

fn add_names<'a>(script: &'a mut Script, names: &[&str]) -> &'a mut Script {
    // As JSON, since a program may have more workflows than a list of parameters.
    script.sql("SELECT value FROM json_each(?)");
    let names: serde_json::Value = names.iter().copied().collect();
    script.bind(names.to_string())
}
