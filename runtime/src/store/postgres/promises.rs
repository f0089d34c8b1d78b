//! Promises and waits for them.
//!
//! Promises are locked by the hashes of their keys, in order, because a promise that is completed before its first
//! wait has no row to lock.

use std::collections::BTreeSet;

use async_trait::async_trait;
use sqlx::PgConnection;

use super::effects::enqueue;
use super::kin::mark;
use super::messages::{find_recipients, remove, write as write_arrivals};
use super::server::takes_writes;
use super::transaction::Transaction;
use super::{PostgresStore, failed, named_after, names_nothing, now, time, workflow_id};
use crate::error::StoreError;
use crate::model::{Handle, PromiseKey, PromiseScope, RunId, StableHash, Timestamp};
use crate::store::promises::sql::{self, Decided, Places, Wait, Work, decide};
use crate::store::promises::{Place, PromiseRow, PromiseRows, scope_text};
use crate::store::recipients::Question;
use crate::store::rows::{
    ListedPromiseRow, PlaceRow, StoredPromiseRow, WaitRow, add_holder, add_runs, key_texts,
    promise_columns, read_promises, read_settles, write_outcome,
};
use crate::store::weight::{Weight as _, fits};
use crate::store::{
    ArrivalOutcome, CompletePromise, CompletionOutcome, MAX_AT_ONCE, MessageKey, NewArrival,
    PromiseFilter, PromiseRecord, Promises,
};

const RUNS: &str = concat!(
    "SELECT run_id, ",
    workflow_id!("piton_runs"),
    ", workflow, closed_at IS NULL AS is_open FROM piton_runs WHERE run_id = ANY ($1)"
);

/// The open run, or else the one started last. `$2` is the run whose id is also the requested workflow id.
const HOLDER: &str = concat!(
    "SELECT run_id, ",
    workflow_id!("piton_runs"),
    ", workflow, closed_at IS NULL AS is_open FROM piton_runs WHERE run_id IN (\
     (SELECT run_id FROM piton_runs WHERE workflow_id = $1 AND closed_at IS NULL), \
     (SELECT run_id FROM piton_runs WHERE workflow_id = $1 AND closed_at IS NOT NULL \
     ORDER BY started_at DESC, run_id DESC LIMIT 1), \
     (SELECT run_id FROM piton_runs WHERE run_id = $2 AND workflow_id IS NULL)) \
     ORDER BY closed_at IS NULL DESC, started_at DESC, run_id DESC LIMIT 1"
);

/// In the order in which they are named.
const LOCK: &str = "SELECT pg_advisory_xact_lock(hashtext('piton promises ' || current_schema()), key) \
    FROM unnest($1::int[]) AS key";

/// For each promise, by key. Scalar and lateral subqueries are looked up one by one, whatever the planner's
/// statistics are.
const PROMISES: &str = concat!(
    "SELECT promise.* FROM unnest($1::text[], $2::text[]) AS asked (scope, name) \
     CROSS JOIN LATERAL (SELECT ",
    promise_columns!(),
    " FROM piton_promises WHERE piton_promises.scope = asked.scope \
     AND piton_promises.name = asked.name LIMIT 1) AS promise"
);

const WAITS: &str = "SELECT wait.* FROM unnest($1::text[], $2::text[]) AS asked (scope, name) \
    CROSS JOIN LATERAL (SELECT scope, name, run_id, handle FROM piton_promise_waits \
    WHERE piton_promise_waits.scope = asked.scope AND piton_promise_waits.name = asked.name \
    LIMIT $3) AS wait";

const DUE: &str = concat!(
    "SELECT scope, name FROM piton_promises, ",
    now!(),
    " AS clock WHERE due_at <= clock.now ORDER BY due_at LIMIT $2"
);

const WRITE: &str = "INSERT INTO piton_promises (scope, name, run_id, workflow, resolved_type, \
    rejected_type, outcome, completion, made_at, completed_at, expires_at, due_at, item_id, \
    kept_until) \
    SELECT * FROM unnest($1::text[], $2::text[], $3::uuid[], $4::text[], $5::bigint[], \
    $6::bigint[], $7::bytea[], $8::uuid[], $9::bigint[], $10::bigint[], $11::bigint[], \
    $12::bigint[], $13::uuid[], $14::bigint[]) ON CONFLICT (scope, name) DO UPDATE SET \
    resolved_type = excluded.resolved_type, rejected_type = excluded.rejected_type, outcome = excluded.outcome, \
    completion = excluded.completion, completed_at = excluded.completed_at, \
    expires_at = excluded.expires_at, due_at = excluded.due_at, item_id = excluded.item_id, \
    kept_until = excluded.kept_until";

/// The keys of the tokens with which the attempts of an item were ended.
const REMOVE_KEYS: &str = "DELETE FROM piton_arrival_keys WHERE run_id = \
    (SELECT item_id FROM piton_promises WHERE scope = $1 AND name = $2)";

const REMOVE: &str = "DELETE FROM piton_promises WHERE scope = $1 AND name = $2";

/// Awaited promises of these runs without an outcome. Withdrawn waits have no row.
const AWAITED: &str = "SELECT scope, name FROM piton_promises \
    WHERE run_id = ANY ($1) AND outcome IS NULL";

const ADD_WAITS: &str = "INSERT INTO piton_promise_waits (scope, name, run_id, handle) \
    SELECT * FROM unnest($1::text[], $2::text[], $3::uuid[], $4::bigint[]) ON CONFLICT DO NOTHING";

const REMOVE_WAITS: &str = "DELETE FROM piton_promise_waits AS wait \
    USING unnest($1::text[], $2::text[], $3::uuid[], $4::bigint[]) \
    AS gone (scope, name, run_id, handle) WHERE wait.scope = ANY (ARRAY[gone.scope]) \
    AND wait.name = ANY (ARRAY[gone.name]) AND wait.run_id = ANY (ARRAY[gone.run_id]) \
    AND wait.handle = ANY (ARRAY[gone.handle])";

/// Null means any. Rows that do not fit in the response are not read.
const LIST: &str = concat!(
    "SELECT ",
    promise_columns!(),
    ", (SELECT count(*) FROM piton_promise_waits AS wait \
     WHERE wait.scope = sized.scope AND wait.name = sized.name) AS waits \
     FROM (SELECT *, sum(bytes) OVER (ORDER BY scope, name ROWS UNBOUNDED PRECEDING) AS upto FROM \
     (SELECT *, coalesce(octet_length(outcome), 0) AS bytes FROM piton_promises \
     WHERE ($1::text IS NULL OR scope = $1) AND ($2::bool IS NULL OR (outcome IS NULL) = $2) \
     AND ($3::text IS NULL OR (scope, name) > ($3, $4)) ORDER BY scope, name LIMIT $5) \
     AS matching) AS sized WHERE ",
    takes_writes!(),
    " AND ",
    fits!("sized"),
    " ORDER BY scope, name"
);

const FIND: &str = concat!(
    "SELECT ",
    promise_columns!(),
    ", (SELECT count(*) FROM piton_promise_waits AS wait WHERE wait.scope = piton_promises.scope \
     AND wait.name = piton_promises.name) AS waits FROM piton_promises \
     WHERE scope = $1 AND name = $2 AND ",
    takes_writes!()
);

#[async_trait]
impl Promises for PostgresStore {
    async fn complete_promises(
        &self,
        completions: Vec<CompletePromise>,
    ) -> Result<Vec<CompletionOutcome>, StoreError> {
        let bytes = completions.iter().map(CompletePromise::weight).sum();
        let work = completions.into_iter().map(Work::Complete).collect();
        let complete = async {
            let outcomes = do_work(self, work, "complete_promises").await?;
            Ok(outcomes.into_iter().flatten().collect())
        };
        self.written("complete_promises", bytes, complete).await
    }

    async fn settle_promises(&self, limit: u32) -> Result<bool, StoreError> {
        self.answered("settle_promises", settle(self, limit)).await
    }

    async fn find_promise(&self, key: &PromiseKey) -> Result<Option<PromiseRecord>, StoreError> {
        self.asked("find_promise", find(self, key)).await
    }

    async fn list_promises(
        &self,
        filter: &PromiseFilter,
        after: Option<&PromiseKey>,
        limit: u32,
    ) -> Result<Vec<PromiseRecord>, StoreError> {
        let list = async {
            let failed = failed("list_promises");
            let scope = filter.run_id.map(|run_id| scope_text(&PromiseScope::Run(run_id)));
            let (after_scope, after_name) = after.map(key_texts).unzip();
            let mut lane = self.pool.lane().await.map_err(failed)?;
            let rows: Vec<ListedPromiseRow> = sqlx::query_as(LIST)
                .bind(scope)
                .bind(filter.is_open)
                .bind(after_scope)
                .bind(after_name)
                .bind(i64::from(limit))
                .fetch_all(lane.get())
                .await
                .map_err(failed)?;
            lane.done();
            rows.into_iter().map(TryInto::try_into).collect()
        };
        self.asked("list_promises", list).await
    }
}

async fn settle(store: &PostgresStore, limit: u32) -> Result<bool, StoreError> {
    let failed = failed("settle_promises");
    let mut lane = store.pool.lane().await.map_err(failed)?;
    let due: Vec<(String, String)> = sqlx::query_as(DUE)
        .bind(store.given_time())
        .bind(i64::from(limit))
        .fetch_all(lane.get())
        .await
        .map_err(failed)?;
    lane.done();
    let due = read_settles(due)?;
    let has_more = due.len() == limit as usize;
    if !due.is_empty() {
        do_work(store, due, "settle_promises").await?;
    }
    Ok(has_more)
}

async fn find(
    store: &PostgresStore,
    key: &PromiseKey,
) -> Result<Option<PromiseRecord>, StoreError> {
    if names_nothing(&key.name) || names_nothing(&scope_text(&key.scope)) {
        return Ok(None);
    }
    let failed = failed("find_promise");
    let mut lane = store.pool.lane().await.map_err(failed)?;
    let places = find_places(lane.get(), [&key.scope].into_iter()).await.map_err(failed)?;
    let (own, ahead) = places[&key.scope].keys(&key.name);
    let mut found = Vec::new();
    for key in [Some(own), ahead] {
        let Some((scope, name)) = key.as_ref().map(key_texts) else { break };
        let row: Option<ListedPromiseRow> = sqlx::query_as(FIND)
            .bind(scope)
            .bind(name)
            .fetch_optional(lane.get())
            .await
            .map_err(failed)?;
        found.push(row.map(PromiseRecord::try_from).transpose()?);
    }
    lane.done();
    let mut found = found.into_iter().map(Option::into_iter);
    let own = found.next().and_then(|mut own| own.next());
    let ahead = found.next().and_then(|mut ahead| ahead.next());
    // A completion for a workflow id applies to the run that has the id.
    Ok(own.clone().filter(|own| own.outcome.is_some()).or(ahead).or(own))
}

/// Does the work, and in later transactions the rest, if promises have too many waits. Returns the outcomes of
/// completions.
pub(super) async fn do_work(
    store: &PostgresStore,
    mut work: Vec<Work>,
    operation: &'static str,
) -> Result<Vec<Option<CompletionOutcome>>, StoreError> {
    let mut outcomes = None;
    while !work.is_empty() {
        // Otherwise a run has taken the workflow id, or has closed, since the lookup.
        if let Some(decided) = do_at_once(store, &mut work, operation).await? {
            outcomes.get_or_insert(decided.outcomes);
            work = decided.left.into_iter().map(Work::Settle).collect();
        }
    }
    Ok(outcomes.unwrap_or_default())
}

/// One transaction; `None` if it has to be repeated. Skips work whose messages another transaction has deleted.
async fn do_at_once(
    store: &PostgresStore,
    work: &mut Vec<Work>,
    operation: &'static str,
) -> Result<Option<Decided>, StoreError> {
    let failed = failed(operation);
    let mut transaction = Transaction::begin_in(&store.calls).await.map_err(failed)?;
    let connection = transaction.get();
    let places = find_places(connection, work.iter().map(Work::scope)).await.map_err(failed)?;
    let completed = sql::completed_keys(work, &places);
    let waiting = read_waits(connection, &completed).await.map_err(failed)?;
    let run_ids = sql::runs(work, &places).into_iter().chain(waiting.iter().map(WaitRow::run_id));
    let run_ids: BTreeSet<RunId> = run_ids.collect();
    let question = Question { run_ids: run_ids.into_iter().collect(), ..Question::default() };
    let given = store.given_time();
    let recipients = find_recipients(given, connection, &question).await;
    let mut recipients = recipients.map_err(failed)??;
    take(connection, work).await.map_err(failed)?;
    let keys = sql::keys(&*work, &places);
    lock(connection, &keys).await.map_err(failed)?;
    // After the lock, because an earlier holder of it may have waited for a run that was started meanwhile.
    let by_workflow_id = work.iter().map(Work::scope);
    let by_workflow_id =
        by_workflow_id.filter(|scope| matches!(scope, PromiseScope::WorkflowId(_)));
    let again = find_places(connection, by_workflow_id).await.map_err(failed)?;
    if again.iter().any(|(scope, place)| places.get(scope) != Some(place)) {
        transaction.roll_back().await.map_err(failed)?;
        return Ok(None);
    }
    let promises = read_rows(connection, &keys).await.map_err(failed)??;
    let now = time(connection, store.given_time()).await.map_err(failed)?;
    let mut decided = decide(work, &places, promises, &recipients, now);
    let due = std::mem::take(&mut decided.due).into_iter();
    let arrivals: Vec<NewArrival> = due.map(Into::into).collect();
    let accepted: Vec<_> = arrivals.iter().map(|arrival| recipients.accept(arrival)).collect();
    let (woken, told) = recipients.grown();
    write(connection, &decided, failed).await?;
    if !decided.items.is_empty() {
        let written = enqueue::write_items(connection, given, &decided.items).await;
        written.map_err(failed)?;
    }
    if !arrivals.is_empty() {
        write_arrivals(given, connection, &arrivals, &accepted, (&woken, &told)).await?;
    }
    transaction.commit().await.map_err(failed)?;
    for (arrival, outcome) in arrivals.iter().zip(&accepted) {
        if matches!(outcome, ArrivalOutcome::Accepted { .. }) {
            store.news.arrival(arrival.run_id, recipients.owner(arrival.run_id));
        }
    }
    if !woken.is_empty() {
        store.news.due();
    }
    decided.items.iter().for_each(|item| store.news.queued(&item.activity.queue));
    Ok(Some(decided))
}

/// Finds the promises' runs.
async fn find_places<'a>(
    connection: &mut PgConnection,
    scopes: impl Iterator<Item = &'a PromiseScope>,
) -> Result<Places, sqlx::Error> {
    let (mut places, mut run_ids) = (Places::new(), Vec::new());
    for scope in scopes.collect::<BTreeSet<_>>() {
        match scope {
            PromiseScope::Run(run_id) => {
                run_ids.push(run_id.as_uuid());
                places.insert(scope.clone(), Place::Nowhere(*run_id));
            }
            PromiseScope::WorkflowId(workflow_id) => {
                let holder: Option<PlaceRow> = sqlx::query_as(HOLDER)
                    .bind(workflow_id)
                    .bind(named_after(workflow_id))
                    .fetch_optional(&mut *connection)
                    .await?;
                add_holder(&mut places, workflow_id, holder);
            }
            PromiseScope::Shared => _ = places.insert(scope.clone(), Place::Shared),
            PromiseScope::Queue(of) => _ = places.insert(scope.clone(), Place::Item(of.clone())),
        }
    }
    if !run_ids.is_empty() {
        let runs = sqlx::query_as(RUNS).bind(run_ids).fetch_all(connection).await?;
        add_runs(&mut places, runs);
    }
    Ok(places)
}

/// Deletes messages from the outbox, and skips work whose messages another transaction has deleted.
async fn take(connection: &mut PgConnection, work: &mut Vec<Work>) -> Result<(), sqlx::Error> {
    let messages: BTreeSet<MessageKey> = work.iter().filter_map(Work::message).collect();
    if messages.is_empty() {
        return Ok(());
    }
    let taken = remove(connection, messages).await?;
    work.retain(|work| work.message().is_none_or(|message| taken.contains(&message)));
    Ok(())
}

async fn lock(
    connection: &mut PgConnection,
    keys: &BTreeSet<PromiseKey>,
) -> Result<(), sqlx::Error> {
    let hash = |key: &PromiseKey| {
        let (scope, name) = key_texts(key);
        let mut hash = StableHash::new();
        hash.add(&scope);
        hash.add(&name);
        hash.finish() as i32
    };
    let hashes: BTreeSet<i32> = keys.iter().map(hash).collect();
    let hashes: Vec<i32> = hashes.into_iter().collect();
    sqlx::query(LOCK).bind(hashes).execute(connection).await?;
    Ok(())
}

/// Reads the promises and the first waits for each.
async fn read_rows(
    connection: &mut PgConnection,
    keys: &BTreeSet<PromiseKey>,
) -> Result<Result<PromiseRows, StoreError>, sqlx::Error> {
    let (scopes, names): (Vec<String>, Vec<String>) = keys.iter().map(key_texts).unzip();
    let promises: Vec<StoredPromiseRow> =
        sqlx::query_as(PROMISES).bind(scopes).bind(names).fetch_all(&mut *connection).await?;
    let waits = read_waits(connection, keys).await?;
    Ok(read_promises(promises, waits))
}

async fn read_waits(
    connection: &mut PgConnection,
    keys: &BTreeSet<PromiseKey>,
) -> Result<Vec<WaitRow>, sqlx::Error> {
    if keys.is_empty() {
        return Ok(Vec::new());
    }
    let (scopes, names): (Vec<String>, Vec<String>) = keys.iter().map(key_texts).unzip();
    let limit = i64::from(MAX_AT_ONCE + 1);
    sqlx::query_as(WAITS).bind(scopes).bind(names).bind(limit).fetch_all(connection).await
}

async fn write(
    connection: &mut PgConnection,
    decided: &Decided,
    failed: impl Fn(sqlx::Error) -> StoreError + Copy,
) -> Result<(), StoreError> {
    for key in &decided.removed {
        let (scope, name) = key_texts(key);
        if matches!(key.scope, PromiseScope::Queue(_)) {
            let remove = sqlx::query(REMOVE_KEYS).bind(scope.clone()).bind(name.clone());
            remove.execute(&mut *connection).await.map_err(failed)?;
        }
        let remove = sqlx::query(REMOVE).bind(scope).bind(name);
        remove.execute(&mut *connection).await.map_err(failed)?;
    }
    if !decided.written.is_empty() {
        write_promises(connection, &decided.written, failed).await?;
    }
    for (statement, waits) in [(REMOVE_WAITS, &decided.gone_waits), (ADD_WAITS, &decided.new_waits)]
    {
        if !waits.is_empty() {
            write_waits(connection, statement, waits).await.map_err(failed)?;
        }
    }
    let owners = decided.awaited.iter().map(RunId::as_uuid).collect();
    mark(connection, owners).await.map_err(failed)
}

/// Ends the waits for promises of closed runs.
pub(super) async fn end_promises(
    store: &PostgresStore,
    closes: &[MessageKey],
) -> Result<(), StoreError> {
    let failed = failed("relay_messages");
    if closes.is_empty() {
        return Ok(());
    }
    let mut lane = store.pool.lane().await.map_err(failed)?;
    let keys: Vec<(String, String)> = sqlx::query_as(AWAITED)
        .bind(closes.iter().map(|key| key.run_id.as_uuid()).collect::<Vec<_>>())
        .fetch_all(lane.get())
        .await
        .map_err(failed)?;
    lane.done();
    for work in read_settles(keys)?.chunks(MAX_AT_ONCE as usize) {
        do_work(store, work.to_vec(), "relay_messages").await?;
    }
    Ok(())
}

async fn write_promises(
    connection: &mut PgConnection,
    written: &[(PromiseKey, PromiseRow)],
    failed: impl Fn(sqlx::Error) -> StoreError,
) -> Result<(), StoreError> {
    let (scopes, names): (Vec<String>, Vec<String>) =
        written.iter().map(|(key, _)| key_texts(key)).unzip();
    let run_id = |(key, _): &(PromiseKey, PromiseRow)| match key.scope {
        PromiseScope::Run(run_id) => Some(run_id.as_uuid()),
        _ => None,
    };
    let outcomes = written.iter().map(|(_, row)| row.outcome.as_ref().map(write_outcome));
    let outcomes = outcomes.map(Option::transpose).collect::<Result<Vec<_>, _>>()?;
    let rows = || written.iter().map(|(_, row)| row);
    let micros = |at: Option<Timestamp>| at.map(Timestamp::as_micros);
    sqlx::query(WRITE)
        .bind(scopes)
        .bind(names)
        .bind(written.iter().map(run_id).collect::<Vec<_>>())
        .bind(rows().map(|row| row.workflow.as_str()).collect::<Vec<_>>())
        .bind(rows().map(|row| row.type_hashes().0).collect::<Vec<_>>())
        .bind(rows().map(|row| row.type_hashes().1).collect::<Vec<_>>())
        .bind(outcomes)
        .bind(rows().map(|row| row.completion).collect::<Vec<_>>())
        .bind(rows().map(|row| row.made_at.as_micros()).collect::<Vec<_>>())
        .bind(rows().map(|row| micros(row.completed_at)).collect::<Vec<_>>())
        .bind(rows().map(|row| micros(row.expires_at)).collect::<Vec<_>>())
        .bind(rows().map(|row| micros(row.due_at())).collect::<Vec<_>>())
        .bind(rows().map(|row| row.item.map(|item| item.as_uuid())).collect::<Vec<_>>())
        .bind(rows().map(|row| micros(row.kept_until)).collect::<Vec<_>>())
        .execute(connection)
        .await
        .map_err(failed)?;
    Ok(())
}

async fn write_waits(
    connection: &mut PgConnection,
    statement: &'static str,
    waits: &[Wait],
) -> Result<(), sqlx::Error> {
    let (scopes, names): (Vec<String>, Vec<String>) =
        waits.iter().map(|(key, ..)| key_texts(key)).unzip();
    let handle = |handle: Handle| handle.0 as i64;
    sqlx::query(statement)
        .bind(scopes)
        .bind(names)
        .bind(waits.iter().map(|(_, run_id, _)| run_id.as_uuid()).collect::<Vec<_>>())
        .bind(waits.iter().map(|(.., of)| handle(*of)).collect::<Vec<_>>())
        .execute(connection)
        .await?;
    Ok(())
}
