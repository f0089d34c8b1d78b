//! Schedules, and which of them are due.

use std::collections::HashMap;

use async_trait::async_trait;
use sqlx::PgConnection;
use uuid::Uuid;

use super::server::takes_writes;
use super::transaction::Transaction;
use super::{PostgresStore, failed, kept, names_nothing, now};
use crate::error::StoreError;
use crate::model::Timestamp;
use crate::store::rows::{ScheduleLogRow, ScheduleRow, schedule_columns, schedule_log_columns};
use crate::store::weight::fits;
use crate::store::{
    ClaimSchedules, ClaimedSchedules, MAX_SCHEDULE_LOG, NewSchedule, NewScheduleLogEntry,
    SaveSchedule, ScheduleCreated, ScheduleLogEntry, ScheduleRecord, Schedules,
};

const INSERT: &str = concat!(
    "INSERT INTO piton_schedules \
     (schedule_id, token, workflow, arguments, config, state, due_at, log_count, created_at) \
     SELECT $2, $3, $4, $5, $6, $7, $8, $9, clock.now FROM ",
    now!(),
    " AS clock ON CONFLICT DO NOTHING"
);

/// A separate statement, which sees the concurrent creation for which the insert has waited.
const IS_THE_SAME: &str =
    "SELECT EXISTS (SELECT 1 FROM piton_schedules WHERE schedule_id = $1 AND token = $2)";

const FIND: &str = concat!(
    "SELECT ",
    schedule_columns!("piton_schedules"),
    " FROM piton_schedules WHERE ",
    takes_writes!(),
    " AND schedule_id = $1"
);

/// Null means any. Rows that do not fit in the response are not read.
const LIST: &str = concat!(
    "SELECT ",
    schedule_columns!("sized"),
    " FROM (SELECT *, sum(bytes) OVER (ORDER BY schedule_id ROWS UNBOUNDED PRECEDING) AS upto FROM \
     (SELECT *, octet_length(arguments) + octet_length(config) + octet_length(state) AS bytes \
     FROM piton_schedules WHERE ($1::text IS NULL OR workflow = $1) \
     AND ($2::text IS NULL OR schedule_id > $2) ORDER BY schedule_id LIMIT $3) AS matching) \
     AS sized WHERE ",
    takes_writes!(),
    " AND ",
    fits!("sized"),
    " ORDER BY schedule_id"
);

const COUNT: &str = concat!(
    "SELECT count(*) FROM piton_schedules WHERE ",
    takes_writes!(),
    " AND ($1::text IS NULL OR workflow = $1)"
);

/// The first due time of each workflow is one lookup in the index.
const NEXT: &str = concat!(
    "SELECT clock.now, (SELECT min((SELECT due_at FROM piton_schedules AS schedule \
     WHERE schedule.workflow = named.workflow AND due_at IS NOT NULL ORDER BY due_at LIMIT 1)) \
     FROM unnest($2::text[]) AS named (workflow)) AS due_at FROM ",
    now!(),
    " AS clock WHERE ",
    takes_writes!()
);

const CLAIM: &str = concat!(
    "WITH due AS MATERIALIZED (SELECT schedule_id FROM piton_schedules \
     WHERE due_at <= $1 AND workflow = ANY ($2) ORDER BY due_at, schedule_id LIMIT $3 \
     FOR UPDATE SKIP LOCKED) \
     UPDATE piton_schedules AS schedule SET version = version + 1, due_at = $1 + $4 \
     FROM due WHERE schedule.schedule_id = due.schedule_id RETURNING ",
    schedule_columns!("schedule")
);

/// Two transactions that save the same schedules lock them in the same order.
const LOCK: &str = "SELECT 1 FROM piton_schedules WHERE schedule_id = ANY ($1) \
    ORDER BY schedule_id FOR UPDATE";

const SAVE: &str = "UPDATE piton_schedules AS schedule SET version = schedule.version + 1, \
    state = new.state, due_at = new.due_at, log_count = log_count + new.entries, \
    workflow = coalesce(new.workflow, schedule.workflow), \
    arguments = coalesce(new.arguments, schedule.arguments), \
    config = coalesce(new.config, schedule.config), \
    revision = revision + CASE WHEN new.config IS NULL THEN 0 ELSE 1 END \
    FROM unnest($1::text[], $2::uuid[], $3::bigint[], $4::text[], $5::bigint[], $6::bigint[], \
    $7::text[], $8::bytea[], $9::text[]) \
    AS new (schedule_id, token, version, state, due_at, entries, workflow, arguments, config) \
    WHERE schedule.schedule_id = new.schedule_id AND schedule.token = new.token \
    AND schedule.version = new.version RETURNING schedule.schedule_id, log_count";

const INSERT_LOG: &str = concat!(
    "INSERT INTO piton_schedule_log (schedule_id, seq, kind, nominal_at, run_id, details, at) \
     SELECT entry.*, clock.now FROM ",
    now!(),
    " AS clock, unnest($2::text[], $3::bigint[], $4::text[], $5::bigint[], $6::uuid[], $7::text[]) \
     AS entry"
);

const PRUNE: &str = "DELETE FROM piton_schedule_log AS old \
    USING unnest($1::text[], $2::bigint[]) AS past (schedule_id, seq) \
    WHERE old.schedule_id = past.schedule_id AND old.seq <= past.seq";

const DELETE: &str = "DELETE FROM piton_schedules WHERE schedule_id = $1";

const LOG: &str = concat!(
    "SELECT ",
    schedule_log_columns!(),
    " FROM (SELECT *, sum(bytes) OVER (ORDER BY seq DESC ROWS UNBOUNDED PRECEDING) AS upto FROM \
     (SELECT *, coalesce(octet_length(details), 0) AS bytes FROM piton_schedule_log \
     WHERE schedule_id = $1 AND seq < coalesce($2::bigint, 9223372036854775807) \
     ORDER BY seq DESC LIMIT $3) AS matching) AS sized WHERE ",
    takes_writes!(),
    " AND ",
    fits!("sized"),
    " ORDER BY seq DESC"
);

#[async_trait]
impl Schedules for PostgresStore {
    async fn create_schedule(&self, schedule: NewSchedule) -> Result<ScheduleCreated, StoreError> {
        let bytes = schedule.arguments.0.len() + schedule.config.len();
        let created = self.written("create_schedule", bytes, create(self, schedule)).await?;
        self.hub.announce_schedule();
        Ok(created)
    }

    async fn find_schedule(&self, id: &str) -> Result<Option<ScheduleRecord>, StoreError> {
        self.asked("find_schedule", find(self, id)).await
    }

    async fn list_schedules(
        &self,
        workflow: Option<&str>,
        after: Option<&str>,
        limit: u32,
    ) -> Result<Vec<ScheduleRecord>, StoreError> {
        self.asked("list_schedules", list(self, workflow, after, limit)).await
    }

    async fn count_schedules(&self, workflow: Option<&str>) -> Result<u64, StoreError> {
        self.asked("count_schedules", count(self, workflow)).await
    }

    async fn claim_schedules(
        &self,
        request: ClaimSchedules<'_>,
    ) -> Result<ClaimedSchedules, StoreError> {
        self.answered("claim_schedules", claim(self, request)).await
    }

    async fn save_schedules(&self, changes: Vec<SaveSchedule>) -> Result<Vec<bool>, StoreError> {
        let saved = self.answered("save_schedules", save(self, changes)).await?;
        self.hub.announce_schedule();
        Ok(saved)
    }

    async fn delete_schedule(&self, id: &str) -> Result<bool, StoreError> {
        self.asked("delete_schedule", delete(self, id)).await
    }

    async fn list_schedule_log(
        &self,
        id: &str,
        before: Option<i64>,
        limit: u32,
    ) -> Result<Vec<ScheduleLogEntry>, StoreError> {
        self.asked("list_schedule_log", list_log(self, id, before, limit)).await
    }
}

async fn create(
    store: &PostgresStore,
    schedule: NewSchedule,
) -> Result<ScheduleCreated, StoreError> {
    let failed = failed("create_schedule");
    let mut transaction = Transaction::begin_in(&store.calls).await.map_err(failed)?;
    let inserted = sqlx::query(INSERT)
        .bind(store.given_time())
        .bind(&schedule.id)
        .bind(schedule.token)
        .bind(&schedule.workflow)
        .bind(schedule.arguments.as_bytes())
        .bind(kept(&schedule.config))
        .bind(kept(&schedule.state))
        .bind(schedule.due_at.map(Timestamp::as_micros))
        .bind(schedule.log.len() as i64)
        .execute(transaction.get())
        .await
        .map_err(failed)?;
    if inserted.rows_affected() == 0 {
        let is_the_same: bool = sqlx::query_scalar(IS_THE_SAME)
            .bind(&schedule.id)
            .bind(schedule.token)
            .fetch_one(transaction.get())
            .await
            .map_err(failed)?;
        transaction.roll_back().await.map_err(failed)?;
        let same = ScheduleCreated::Created;
        return Ok(if is_the_same { same } else { ScheduleCreated::IdTaken });
    }
    let entries = (1..).zip(&schedule.log).map(|(seq, entry)| (schedule.id.as_str(), seq, entry));
    let entries: Vec<_> = entries.collect();
    add_log(transaction.get(), store.given_time(), &entries).await.map_err(failed)?;
    transaction.commit().await.map_err(failed)?;
    Ok(ScheduleCreated::Created)
}

async fn find(store: &PostgresStore, id: &str) -> Result<Option<ScheduleRecord>, StoreError> {
    if names_nothing(id) {
        return Ok(None);
    }
    let failed = failed("find_schedule");
    let mut lane = store.pool.lane().await.map_err(failed)?;
    let row: Option<ScheduleRow> =
        sqlx::query_as(FIND).bind(id).fetch_optional(lane.get()).await.map_err(failed)?;
    lane.done();
    Ok(row.map(Into::into))
}

async fn list(
    store: &PostgresStore,
    workflow: Option<&str>,
    after: Option<&str>,
    limit: u32,
) -> Result<Vec<ScheduleRecord>, StoreError> {
    if workflow.is_some_and(names_nothing) {
        return Ok(Vec::new());
    }
    let failed = failed("list_schedules");
    let mut lane = store.pool.lane().await.map_err(failed)?;
    let rows: Vec<ScheduleRow> = sqlx::query_as(LIST)
        .bind(workflow)
        .bind(after.map(kept))
        .bind(i64::from(limit))
        .fetch_all(lane.get())
        .await
        .map_err(failed)?;
    lane.done();
    Ok(rows.into_iter().map(Into::into).collect())
}

async fn count(store: &PostgresStore, workflow: Option<&str>) -> Result<u64, StoreError> {
    if workflow.is_some_and(names_nothing) {
        return Ok(0);
    }
    let failed = failed("count_schedules");
    let mut lane = store.pool.lane().await.map_err(failed)?;
    let count: i64 =
        sqlx::query_scalar(COUNT).bind(workflow).fetch_one(lane.get()).await.map_err(failed)?;
    lane.done();
    Ok(count.unsigned_abs())
}

async fn claim(
    store: &PostgresStore,
    request: ClaimSchedules<'_>,
) -> Result<ClaimedSchedules, StoreError> {
    let failed = failed("claim_schedules");
    let mut lane = store.pool.lane().await.map_err(failed)?;
    let (now, next): (i64, Option<i64>) = sqlx::query_as(NEXT)
        .bind(store.given_time())
        .bind(request.workflows)
        .fetch_one(lane.get())
        .await
        .map_err(failed)?;
    let mut claimed = ClaimedSchedules {
        schedules: Vec::new(),
        next_due_at: next.map(Timestamp),
        now: Timestamp(now),
    };
    if next.is_some_and(|due_at| due_at <= now) {
        let rows: Vec<ScheduleRow> = sqlx::query_as(CLAIM)
            .bind(now)
            .bind(request.workflows)
            .bind(i64::from(request.limit))
            .bind(i64::try_from(request.hold.as_micros()).unwrap_or(i64::MAX))
            .fetch_all(lane.get())
            .await
            .map_err(failed)?;
        claimed.schedules = rows.into_iter().map(Into::into).collect();
        let (_, next): (i64, Option<i64>) = sqlx::query_as(NEXT)
            .bind(store.given_time())
            .bind(request.workflows)
            .fetch_one(lane.get())
            .await
            .map_err(failed)?;
        claimed.next_due_at = next.map(Timestamp);
    }
    lane.done();
    Ok(claimed)
}

async fn save(store: &PostgresStore, changes: Vec<SaveSchedule>) -> Result<Vec<bool>, StoreError> {
    let failed = failed("save_schedules");
    let mut transaction = Transaction::begin_in(&store.calls).await.map_err(failed)?;
    let ids: Vec<&str> = changes.iter().map(|save| save.id.as_str()).collect();
    sqlx::query(LOCK).bind(&ids).execute(transaction.get()).await.map_err(failed)?;
    let change = |save: &SaveSchedule| save.change.clone();
    let saved: Vec<(String, i64)> = sqlx::query_as(SAVE)
        .bind(&ids)
        .bind(changes.iter().map(|save| save.token).collect::<Vec<Uuid>>())
        .bind(changes.iter().map(|save| save.version).collect::<Vec<_>>())
        .bind(changes.iter().map(|save| kept(&save.state)).collect::<Vec<_>>())
        .bind(changes.iter().map(|save| save.due_at.map(|at| at.0)).collect::<Vec<_>>())
        .bind(changes.iter().map(|save| save.log.len() as i64).collect::<Vec<_>>())
        .bind(changes.iter().map(|save| Some(change(save)?.workflow)).collect::<Vec<_>>())
        .bind(changes.iter().map(|save| Some(change(save)?.arguments.0)).collect::<Vec<_>>())
        .bind(changes.iter().map(|save| Some(change(save)?.config)).collect::<Vec<_>>())
        .fetch_all(transaction.get())
        .await
        .map_err(failed)?;
    let counts: HashMap<&str, i64> =
        saved.iter().map(|(id, count)| (id.as_str(), *count)).collect();
    let mut entries = Vec::new();
    let (mut past_ids, mut past_seqs) = (Vec::new(), Vec::new());
    for save in &changes {
        let Some(count) = counts.get(save.id.as_str()) else { continue };
        let first = count - save.log.len() as i64 + 1;
        entries.extend((first..).zip(&save.log).map(|(seq, entry)| (save.id.as_str(), seq, entry)));
        if *count > i64::from(MAX_SCHEDULE_LOG) && !save.log.is_empty() {
            past_ids.push(save.id.as_str());
            past_seqs.push(count - i64::from(MAX_SCHEDULE_LOG));
        }
    }
    add_log(transaction.get(), store.given_time(), &entries).await.map_err(failed)?;
    if !past_ids.is_empty() {
        sqlx::query(PRUNE)
            .bind(past_ids)
            .bind(past_seqs)
            .execute(transaction.get())
            .await
            .map_err(failed)?;
    }
    transaction.commit().await.map_err(failed)?;
    Ok(changes.iter().map(|save| counts.contains_key(save.id.as_str())).collect())
}

async fn add_log(
    connection: &mut PgConnection,
    now: Option<i64>,
    entries: &[(&str, i64, &NewScheduleLogEntry)],
) -> Result<(), sqlx::Error> {
    if entries.is_empty() {
        return Ok(());
    }
    let each = || entries.iter().map(|(_, _, entry)| *entry);
    sqlx::query(INSERT_LOG)
        .bind(now)
        .bind(entries.iter().map(|(id, _, _)| *id).collect::<Vec<_>>())
        .bind(entries.iter().map(|(_, seq, _)| *seq).collect::<Vec<_>>())
        .bind(each().map(|entry| entry.kind.as_str()).collect::<Vec<_>>())
        .bind(each().map(|entry| entry.nominal_at.map(|at| at.0)).collect::<Vec<_>>())
        .bind(each().map(|entry| entry.run_id.map(|id| id.as_uuid())).collect::<Vec<_>>())
        .bind(each().map(|entry| entry.details.as_deref().map(kept)).collect::<Vec<_>>())
        .execute(connection)
        .await?;
    Ok(())
}

async fn delete(store: &PostgresStore, id: &str) -> Result<bool, StoreError> {
    if names_nothing(id) {
        return Ok(false);
    }
    let failed = failed("delete_schedule");
    let mut lane = store.pool.lane().await.map_err(failed)?;
    let deleted = sqlx::query(DELETE).bind(id).execute(lane.get()).await.map_err(failed)?;
    lane.done();
    Ok(deleted.rows_affected() > 0)
}

async fn list_log(
    store: &PostgresStore,
    id: &str,
    before: Option<i64>,
    limit: u32,
) -> Result<Vec<ScheduleLogEntry>, StoreError> {
    if names_nothing(id) {
        return Ok(Vec::new());
    }
    let failed = failed("list_schedule_log");
    let mut lane = store.pool.lane().await.map_err(failed)?;
    let rows: Vec<ScheduleLogRow> = sqlx::query_as(LOG)
        .bind(id)
        .bind(before)
        .bind(i64::from(limit))
        .fetch_all(lane.get())
        .await
        .map_err(failed)?;
    lane.done();
    Ok(rows.into_iter().map(Into::into).collect())
}
