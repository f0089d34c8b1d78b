//! Promises and waits for them.

use std::collections::BTreeSet;

use async_trait::async_trait;
use uuid::Uuid;

use super::effects::enqueue;
use super::kin::add_marks;
use super::messages::{add_arrivals, add_counts, add_removal, bind_key, look_up};
use super::script::{MAX_ROWS, Script};
use super::{SqliteStore, Turn, failed};
use crate::error::StoreError;
use crate::model::{PromiseKey, PromiseScope, RunId, Timestamp};
use crate::store::promises::sql::{self, Decided, Places, Wait, Work, decide};
use crate::store::promises::{Place, PromiseRow, PromiseRows, scope_text};
use crate::store::recipients::{Question, Recipients};
use crate::store::rows::{
    ListedPromiseRow, PlaceRow, StoredPromiseRow, WaitRow, add_holder, add_runs, key_texts,
    promise_columns, read_promises, read_settles, write_outcome,
};
use crate::store::weight::fits;
use crate::store::{
    ArrivalOutcome, CompletePromise, CompletionOutcome, MAX_AT_ONCE, MessageKey, NewArrival,
    PromiseFilter, PromiseRecord, Promises, RunEvent,
};

const RUNS: &str = "SELECT run_id, workflow_id, workflow, closed_at IS NULL AS is_open FROM piton_runs \
    WHERE run_id IN (";

/// The open run, or else the one started last.
const HOLDER: &str = "SELECT run_id, workflow_id, workflow, closed_at IS NULL AS is_open FROM piton_runs \
    WHERE workflow_id = ? ORDER BY closed_at IS NULL DESC, started_at DESC, run_id DESC LIMIT 1; ";

const PROMISES: &str =
    concat!("SELECT ", promise_columns!(), " FROM piton_promises WHERE (scope, name) IN (");

/// `CROSS JOIN` fixes the order of the tables, whatever the planner's statistics are.
const WAITS: &str = "SELECT wait.scope, wait.name, wait.run_id, wait.handle FROM (";

const OF_PROMISES: &str = ") AS asked CROSS JOIN piton_promise_waits AS wait ON wait.rowid IN \
    (SELECT rowid FROM piton_promise_waits AS first \
    WHERE first.scope = asked.column1 AND first.name = asked.column2 LIMIT ?)";

const DUE: &str =
    "SELECT scope, name FROM piton_promises WHERE due_at <= ? ORDER BY due_at LIMIT ?";

const WRITE: &str = "INSERT INTO piton_promises (scope, name, run_id, workflow, resolved_type, \
    rejected_type, outcome, completion, made_at, completed_at, expires_at, due_at, \
    item_id, kept_until) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET \
    resolved_type = excluded.resolved_type, rejected_type = excluded.rejected_type, outcome = excluded.outcome, completion = excluded.completion, \
    completed_at = excluded.completed_at, expires_at = excluded.expires_at, \
    due_at = excluded.due_at, item_id = excluded.item_id, kept_until = excluded.kept_until; ";

/// The keys of the tokens with which the attempts of an item were ended.
const REMOVE_KEYS: &str = "DELETE FROM piton_arrival_keys WHERE run_id = \
    (SELECT item_id FROM piton_promises WHERE scope = ? AND name = ?); ";

const REMOVE: &str = "DELETE FROM piton_promises WHERE scope = ? AND name = ?; ";

/// Awaited promises of these runs without an outcome. Withdrawn waits have no row.
const AWAITED: &str =
    "SELECT scope, name FROM piton_promises WHERE outcome IS NULL AND run_id IN (";

const ADD_WAIT: &str = "INSERT INTO piton_promise_waits (scope, name, run_id, handle) \
    VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING; ";

const REMOVE_WAIT: &str = "DELETE FROM piton_promise_waits \
    WHERE scope = ? AND name = ? AND run_id = ? AND handle = ?; ";

const MESSAGES: &str = "SELECT run_id, seq FROM piton_outbox WHERE (run_id, seq) IN (";

/// Null means any. Rows that do not fit in the response are not read.
const LIST: &str = concat!(
    "SELECT ",
    promise_columns!(),
    ", (SELECT count(*) FROM piton_promise_waits AS wait \
     WHERE wait.scope = sized.scope AND wait.name = sized.name) AS waits \
     FROM (SELECT *, sum(bytes) OVER (ORDER BY scope, name) AS upto FROM \
     (SELECT *, coalesce(length(outcome), 0) AS bytes FROM piton_promises \
     WHERE (?1 IS NULL OR scope = ?1) AND (?2 IS NULL OR (outcome IS NULL) = ?2) \
     AND (?3 IS NULL OR (scope, name) > (?3, ?4)) ORDER BY scope, name LIMIT ?5)) AS sized WHERE ",
    fits!("sized"),
    " ORDER BY scope, name"
);

const FIND: &str = concat!(
    "SELECT ",
    promise_columns!(),
    ", (SELECT count(*) FROM piton_promise_waits AS wait WHERE wait.scope = piton_promises.scope \
     AND wait.name = piton_promises.name) AS waits FROM piton_promises WHERE scope = ? AND name = ?; "
);

#[async_trait]
impl Promises for SqliteStore {
    async fn complete_promises(
        &self,
        completions: Vec<CompletePromise>,
    ) -> Result<Vec<CompletionOutcome>, StoreError> {
        let work: Vec<Work> = completions.into_iter().map(Work::Complete).collect();
        let mut outcomes = Vec::with_capacity(work.len());
        for work in work.chunks(MAX_WORK) {
            let done = do_some(self, work.to_vec(), "complete_promises").await?;
            outcomes.extend(done.into_iter().flatten());
        }
        Ok(outcomes)
    }

    async fn settle_promises(&self, limit: u32) -> Result<bool, StoreError> {
        let failed = failed("settle_promises");
        let limit = limit.min(MAX_WORK as u32);
        let mut script = Script::new();
        script.sql(DUE).bind(self.time().as_micros()).bind(limit);
        // Every worker checks regularly, so this must not take the write lock.
        let rows = self.read(script).await.and_then(|mut rows| rows.read::<(String, String)>(0));
        let due = read_settles(rows.map_err(failed)?)?;
        let has_more = due.len() == limit as usize;
        if !due.is_empty() {
            do_some(self, due, "settle_promises").await?;
        }
        Ok(has_more)
    }

    async fn find_promise(&self, key: &PromiseKey) -> Result<Option<PromiseRecord>, StoreError> {
        let failed = failed("find_promise");
        let mut script = Script::new();
        match &key.scope {
            PromiseScope::Run(run_id) => {
                script.sql(RUNS).sql("?)").bind(run_id.as_uuid());
            }
            PromiseScope::WorkflowId(workflow_id) => {
                script.sql(HOLDER).bind(workflow_id.clone());
            }
            PromiseScope::Shared | PromiseScope::Queue(_) => {
                script.sql(RUNS).sql(")");
            }
        }
        let found = self.read(script).await.and_then(|mut rows| rows.read::<PlaceRow>(0));
        let place = found.map_err(failed)?.pop().map(Place::from);
        let (own, ahead) = place.map_or((key.clone(), None), |place| place.keys(&key.name));
        let mut script = Script::new();
        for key in [&own].into_iter().chain(&ahead) {
            let (scope, name) = key_texts(key);
            script.sql(FIND).bind(scope).bind(name);
        }
        let mut rows = self.read(script).await.map_err(failed)?;
        let mut read = |index| -> Result<Option<PromiseRecord>, StoreError> {
            let row = rows.read::<ListedPromiseRow>(index).map_err(failed)?.pop();
            row.map(TryInto::try_into).transpose()
        };
        let (own, ahead) = (read(0)?, read(1)?);
        // A completion for a workflow id applies to the run that has the id.
        Ok(own.clone().filter(|own| own.outcome.is_some()).or(ahead).or(own))
    }

    async fn list_promises(
        &self,
        filter: &PromiseFilter,
        after: Option<&PromiseKey>,
        limit: u32,
    ) -> Result<Vec<PromiseRecord>, StoreError> {
        let scope = filter.run_id.map(|run_id| scope_text(&PromiseScope::Run(run_id)));
        let (after_scope, after_name) = after.map(key_texts).unzip();
        let mut script = Script::new();
        script.sql(LIST).bind(scope).bind(filter.is_open);
        script.bind(after_scope).bind(after_name).bind(limit);
        let rows = self.read(script).await.and_then(|mut rows| rows.read::<ListedPromiseRow>(0));
        let rows = rows.map_err(failed("list_promises"))?;
        rows.into_iter().map(TryInto::try_into).collect()
    }
}

/// The amount of work in one transaction: there are two rows for each promise.
pub(super) const MAX_WORK: usize = MAX_ROWS / 2;

/// Does at most [`MAX_WORK`], and in later transactions the rest, if promises have too many waits. Returns the
/// outcomes of completions.
pub(super) async fn do_some(
    store: &SqliteStore,
    work: Vec<Work>,
    operation: &'static str,
) -> Result<Vec<Option<CompletionOutcome>>, StoreError> {
    let Decided { outcomes, mut left, .. } = do_at_once(store, work, operation).await?;
    while !left.is_empty() {
        let work = left.into_iter().map(Work::Settle).collect();
        left = do_at_once(store, work, operation).await?.left;
    }
    Ok(outcomes)
}

async fn do_at_once(
    store: &SqliteStore,
    mut work: Vec<Work>,
    operation: &'static str,
) -> Result<Decided, StoreError> {
    let failed = failed(operation);
    let mut turn = store.turn().await;
    let now = store.moment();
    let places = find_places(&mut turn, &mut work).await.map_err(failed)?;
    let rows = read_rows(&mut turn, &work, &places).await.map_err(failed)??;
    let waiting = rows.0.values().flat_map(|row| row.waits.iter().map(|(run_id, _)| *run_id));
    let run_ids: BTreeSet<RunId> = sql::runs(&work, &places).into_iter().chain(waiting).collect();
    let run_ids: Vec<RunId> = run_ids.into_iter().collect();
    let mut recipients = Recipients::default();
    for run_ids in run_ids.chunks(MAX_ROWS) {
        let question = Question { run_ids: run_ids.to_vec(), ..Question::default() };
        recipients.add(look_up(&mut turn, &question, now).await.map_err(failed)??);
    }
    let mut decided = decide(&work, &places, rows, &recipients, now.time);
    let messages: Vec<MessageKey> = work.iter().filter_map(Work::message).collect();
    if decided.is_empty() && messages.is_empty() {
        turn.roll_back().await;
        return Ok(decided);
    }
    let due = std::mem::take(&mut decided.due).into_iter();
    let arrivals: Vec<NewArrival> = due.map(Into::into).collect();
    let accepted: Vec<_> = arrivals.iter().map(|arrival| recipients.accept(arrival)).collect();
    let (woken, told) = recipients.grown();
    let mut script = Script::new();
    if !messages.is_empty() {
        add_removal(&mut script, &messages);
    }
    write(&mut script, &decided)?;
    enqueue::add_items(&mut script, &decided.items, now.time);
    for (arrivals, accepted) in arrivals.chunks(MAX_ROWS).zip(accepted.chunks(MAX_ROWS)) {
        add_arrivals(&mut script, arrivals, accepted, now.time)?;
    }
    add_counts_in_parts(&mut script, (&woken, &told), now.time);
    script.sql("COMMIT");
    turn.commit(script).await.map_err(failed)?;
    for (arrival, outcome) in arrivals.iter().zip(&accepted) {
        if matches!(outcome, ArrivalOutcome::Accepted { .. }) {
            store.hub.announce(RunEvent::Arrival(arrival.run_id));
        }
    }
    if !woken.is_empty() {
        store.hub.announce_due();
    }
    decided.items.iter().for_each(|item| store.hub.announce_queued(&item.activity.queue));
    Ok(decided)
}

/// Begins the transaction, skips work whose messages another transaction has deleted, and finds the promises' runs.
async fn find_places(turn: &mut Turn, work: &mut Vec<Work>) -> Result<Places, sqlx::Error> {
    let messages: Vec<MessageKey> = work.iter().filter_map(Work::message).collect();
    let mut script = Script::new();
    script.sql("BEGIN IMMEDIATE; ").sql(MESSAGES);
    match messages.is_empty() {
        true => script.sql("SELECT NULL, NULL"),
        false => script.values(2, messages.iter(), bind_key),
    };
    script.sql(")");
    let there: Vec<(Uuid, i64)> = turn.begin(script).await?.read(1)?;
    let there: BTreeSet<MessageKey> =
        there.into_iter().map(|(run_id, seq)| MessageKey { run_id: run_id.into(), seq }).collect();
    work.retain(|work| work.message().is_none_or(|message| there.contains(&message)));
    let (mut run_ids, mut workflow_ids) = (Vec::new(), Vec::new());
    let mut places = Places::new();
    for scope in work.iter().map(Work::scope) {
        let place = match scope {
            PromiseScope::Run(run_id) => Place::Nowhere(*run_id),
            PromiseScope::WorkflowId(workflow_id) => Place::Ahead(workflow_id.clone()),
            PromiseScope::Shared => Place::Shared,
            PromiseScope::Queue(of) => Place::Item(of.clone()),
        };
        if places.insert(scope.clone(), place).is_none() {
            match scope {
                PromiseScope::Run(run_id) => run_ids.push(*run_id),
                PromiseScope::WorkflowId(workflow_id) => workflow_ids.push(workflow_id.clone()),
                PromiseScope::Shared | PromiseScope::Queue(_) => {}
            }
        }
    }
    let mut script = Script::new();
    script.sql(RUNS);
    if run_ids.is_empty() {
        script.sql("NULL");
    } else {
        script.values(1, run_ids.iter(), |script, run_id| {
            script.bind(run_id.as_uuid());
        });
    }
    script.sql("); ");
    for workflow_id in &workflow_ids {
        script.sql(HOLDER).bind(workflow_id.clone());
    }
    let mut rows = turn.go_on(script).await?;
    add_runs(&mut places, rows.read(0)?);
    for (index, workflow_id) in workflow_ids.into_iter().enumerate() {
        add_holder(&mut places, &workflow_id, rows.read::<PlaceRow>(1 + index)?.pop());
    }
    Ok(places)
}

/// Reads the promises and the first waits for each.
async fn read_rows(
    turn: &mut Turn,
    work: &[Work],
    places: &Places,
) -> Result<Result<PromiseRows, StoreError>, sqlx::Error> {
    let keys: Vec<_> = sql::keys(work, places).iter().map(key_texts).collect();
    let (mut promises, mut waits) = (Vec::new(), Vec::new());
    let bind = |script: &mut Script, (scope, name): &(String, String)| {
        script.bind(scope.clone()).bind(name.clone());
    };
    for keys in keys.chunks(MAX_ROWS) {
        let mut script = Script::new();
        script.sql(PROMISES).values(2, keys.iter(), bind).sql("); ");
        script.sql(WAITS).values(2, keys.iter(), bind);
        script.sql(OF_PROMISES).bind(MAX_AT_ONCE + 1);
        let mut rows = turn.go_on(script).await?;
        promises.extend(rows.read::<StoredPromiseRow>(0)?);
        waits.extend(rows.read::<WaitRow>(1)?);
    }
    Ok(read_promises(promises, waits))
}

fn write(script: &mut Script, decided: &Decided) -> Result<(), StoreError> {
    for key in &decided.removed {
        let (scope, name) = key_texts(key);
        if matches!(key.scope, PromiseScope::Queue(_)) {
            script.sql(REMOVE_KEYS).bind(scope.clone()).bind(name.clone());
        }
        script.sql(REMOVE).bind(scope).bind(name);
    }
    for (key, row) in &decided.written {
        let (scope, name) = key_texts(key);
        let run_id = match key.scope {
            PromiseScope::Run(run_id) => Some(run_id.as_uuid()),
            _ => None,
        };
        let PromiseRow { workflow, outcome, completion, made_at, completed_at, expires_at, .. } =
            row;
        let (resolved, rejected) = row.type_hashes();
        let outcome = outcome.as_ref().map(write_outcome).transpose()?;
        script.sql(WRITE).bind(scope).bind(name).bind(run_id).bind(workflow.clone());
        script
            .bind(resolved)
            .bind(rejected)
            .bind(outcome)
            .bind(*completion)
            .bind(made_at.as_micros());
        let micros = |at: Option<Timestamp>| at.map(Timestamp::as_micros);
        script.bind(micros(*completed_at)).bind(micros(*expires_at)).bind(micros(row.due_at()));
        script.bind(row.item.map(|item| item.as_uuid())).bind(micros(row.kept_until));
    }
    let mut add_waits = |sql: &str, waits: &[Wait]| {
        for (key, run_id, handle) in waits {
            let (scope, name) = key_texts(key);
            script.sql(sql).bind(scope).bind(name).bind(run_id.as_uuid()).bind(handle.0 as i64);
        }
    };
    add_waits(REMOVE_WAIT, &decided.gone_waits);
    add_waits(ADD_WAIT, &decided.new_waits);
    let awaited: Vec<RunId> = decided.awaited.iter().copied().collect();
    add_marks(script, &awaited);
    Ok(())
}

/// Ends the waits for promises of closed runs.
pub(super) async fn end_promises(
    store: &SqliteStore,
    closes: &[MessageKey],
) -> Result<(), StoreError> {
    let failed = failed("relay_messages");
    if closes.is_empty() {
        return Ok(());
    }
    let mut script = Script::new();
    script.sql(AWAITED).values(1, closes.iter(), |script, key| {
        script.bind(key.run_id.as_uuid());
    });
    script.sql(")");
    let rows = store.read(script).await.and_then(|mut rows| rows.read::<(String, String)>(0));
    let work = read_settles(rows.map_err(failed)?)?;
    for work in work.chunks(MAX_WORK) {
        do_some(store, work.to_vec(), "relay_messages").await?;
    }
    Ok(())
}

type Counts<'a> = (&'a [(RunId, i64)], &'a [(RunId, i64)]);

/// Like [`add_counts`], for any number of runs.
fn add_counts_in_parts(script: &mut Script, (woken, told): Counts<'_>, now: Timestamp) {
    for woken in woken.chunks(MAX_ROWS) {
        add_counts(script, (&woken.to_vec(), &Vec::new()), now);
    }
    for told in told.chunks(MAX_ROWS) {
        add_counts(script, (&Vec::new(), &told.to_vec()), now);
    }
}
