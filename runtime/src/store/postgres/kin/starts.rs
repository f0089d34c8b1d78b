//! Starts of children.

use std::collections::HashMap;

use uuid::Uuid;

use super::close_message;
use crate::error::StoreError;
use crate::model::{ChildStart, RunId};
use crate::store::ends::handle;
use crate::store::postgres::effects::attributes;
use crate::store::postgres::messages::remove;
use crate::store::postgres::runs::{FIND_OPEN, is_conflict};
use crate::store::postgres::transaction::Transaction;
use crate::store::postgres::{PostgresStore, failed, lifecycle, named_after, now, time};
use crate::store::rows::{NamedRow, first_of};
use crate::store::{MessageKey, NewRun, Relayed};

/// A child's row records the attempt to start it, so it is inserted first. A concurrent attempt waits for it.
const TRY: &str = concat!(
    "INSERT INTO piton_children (child_id, workflow_id, parent_run_id, parent_chain, on_parent_close, is_attached, \
     ends_with_run) SELECT child.child_id, child.workflow_id, child.parent, ",
    first_of!("child.parent"),
    ", child.policy, child.policy <> 'abandon', child.ends_with_run \
     FROM unnest($1::uuid[], $2::text[], $3::uuid[], $4::text[], $5::boolean[]) \
     AS child (child_id, workflow_id, parent, policy, ends_with_run) \
     ORDER BY child.child_id ON CONFLICT DO NOTHING RETURNING child_id"
);

const START: &str = concat!(
    "INSERT INTO piton_runs (run_id, workflow_id, workflow, status, due_at, started_at, state, snapshot, \
     arguments, definition, has_kin) SELECT child.run_id, child.workflow_id, child.workflow, 'running', \
     coalesce(child.start_at, clock.now), clock.now, child.state, child.snapshot, child.arguments, int8send(child.definition), true FROM ",
    now!(),
    " AS clock, unnest($2::uuid[], $3::text[], $4::text[], $5::text[], $6::bytea[], $7::bytea[], $8::bigint[], \
     $9::bigint[]) AS child (run_id, workflow_id, workflow, state, snapshot, arguments, definition, start_at) ORDER BY child.workflow_id"
);

const REFUSE: &str = "UPDATE piton_children AS child SET is_attached = false, taken_by = refused.taken_by \
    FROM unnest($1::uuid[], $2::uuid[]) AS refused (child_id, taken_by) WHERE child.child_id = refused.child_id";

const AWAIT: &str = "INSERT INTO piton_child_waits (child_id, run_id, handle) \
    SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::bigint[]) ORDER BY 1, 2, 3 ON CONFLICT DO NOTHING";

/// A failed start is reported as the child's end; there is no run whose commits could number the message.
const TELL: &str = concat!(
    "INSERT INTO piton_outbox (run_id, seq, workflow_id, message, sent_at) \
     SELECT refused, 1048575, '', $3, clock.now FROM ",
    now!(),
    " AS clock, unnest($2::uuid[]) AS refused ORDER BY refused ON CONFLICT DO NOTHING"
);

/// A child with the message that starts it and its workflow id.
type Start = (MessageKey, String, ChildStart);

/// Starts children that were not started before.
pub(in crate::store::postgres) async fn start_children(
    store: &PostgresStore,
    starts: Vec<Start>,
    relayed: &mut Relayed,
) -> Result<(), StoreError> {
    if starts.is_empty() {
        return Ok(());
    }
    let refused = loop {
        match start(store, &starts).await {
            // A concurrent start has taken a workflow id.
            Err(error) if is_conflict(&error) => {}
            refused => break refused.map_err(failed("relay_messages"))?,
        }
    };
    refused.into_iter().for_each(|child| store.hub.announce_sent(child));
    store.news.due();
    relayed.carried_out.extend(starts.into_iter().map(|(key, ..)| key));
    Ok(())
}

/// Returns the children that could not be started and whose parents wait for them.
async fn start(store: &PostgresStore, starts: &[Start]) -> Result<Vec<RunId>, sqlx::Error> {
    let mut transaction = Transaction::begin_in(&store.calls).await?;
    let column = |value: fn(&Start) -> Uuid| starts.iter().map(value).collect::<Vec<Uuid>>();
    let ids: Vec<&str> = starts.iter().map(|(_, id, _)| id.as_str()).collect();
    let tried: Vec<Uuid> = sqlx::query_scalar(TRY)
        .bind(column(|(_, _, start)| start.run_id.as_uuid()))
        .bind(&ids)
        .bind(column(|(key, ..)| key.run_id.as_uuid()))
        .bind(starts.iter().map(|(_, _, start)| start.on_parent_close.as_str()).collect::<Vec<_>>())
        .bind(starts.iter().map(|(_, _, start)| start.ends_with_run()).collect::<Vec<_>>())
        .fetch_all(transaction.get())
        .await?;
    let named: Vec<Uuid> = ids.iter().filter_map(|id| named_after(id)).collect();
    let open: Vec<NamedRow> =
        sqlx::query_as(FIND_OPEN).bind(ids).bind(named).fetch_all(transaction.get()).await?;
    let open: HashMap<String, Uuid> =
        open.into_iter().map(|row| (row.workflow_id, row.run_id)).collect();
    let new = starts.iter().filter(|(_, _, start)| tried.contains(&start.run_id.as_uuid()));
    let (refused, new): (Vec<&Start>, Vec<&Start>) =
        new.partition(|(_, id, _)| open.contains_key(id));
    if !new.is_empty() {
        insert(&mut transaction, store.given_time(), &new).await?;
    }
    if !refused.is_empty() {
        sqlx::query(REFUSE)
            .bind(refused.iter().map(|(_, _, start)| start.run_id.as_uuid()).collect::<Vec<_>>())
            .bind(refused.iter().map(|(_, id, _)| open.get(id).copied()).collect::<Vec<_>>())
            .execute(transaction.get())
            .await?;
    }
    let awaited = new.iter().chain(&refused).filter_map(|(key, _, start)| {
        Some((start.run_id.as_uuid(), key.run_id.as_uuid(), handle(start.awaited_by?)))
    });
    let awaited: Vec<(Uuid, Uuid, i64)> = awaited.collect();
    if !awaited.is_empty() {
        sqlx::query(AWAIT)
            .bind(awaited.iter().map(|(child, ..)| *child).collect::<Vec<_>>())
            .bind(awaited.iter().map(|(_, waiting, _)| *waiting).collect::<Vec<_>>())
            .bind(awaited.iter().map(|(.., handle)| *handle).collect::<Vec<_>>())
            .execute(transaction.get())
            .await?;
    }
    let told = refused.iter().filter(|(_, _, start)| start.awaited_by.is_some());
    let told: Vec<RunId> = told.map(|(_, _, start)| start.run_id).collect();
    if !told.is_empty() {
        sqlx::query(TELL)
            .bind(store.given_time())
            .bind(told.iter().map(RunId::as_uuid).collect::<Vec<_>>())
            .bind(close_message()?)
            .execute(transaction.get())
            .await?;
    }
    remove(transaction.get(), starts.iter().map(|(key, ..)| *key)).await?;
    transaction.commit().await?;
    Ok(told)
}

async fn insert(
    transaction: &mut Transaction,
    mut now: Option<i64>,
    new: &[&Start],
) -> Result<(), sqlx::Error> {
    let with_options = new.iter().filter(|(_, _, start)| start.options.is_some());
    let with_options: Vec<_> =
        with_options.map(|(_, id, start)| (id.clone(), start.clone())).collect();
    let mut runs: Vec<NewRun> = Vec::new();
    if !with_options.is_empty() {
        let started_at = time(transaction.get(), now).await?;
        now = Some(started_at.as_micros());
        let of_child = |(id, start)| NewRun::of_child(id, start, started_at);
        runs.extend(with_options.into_iter().map(of_child));
    }
    let later = runs.iter().filter_map(|run| Some((run.run_id, run.start_at?.as_micros())));
    let later: HashMap<RunId, i64> = later.collect();
    let starts = || new.iter().map(|(_, _, start)| start);
    sqlx::query(START)
        .bind(now)
        .bind(starts().map(|start| start.run_id.as_uuid()).collect::<Vec<_>>())
        .bind(new.iter().map(|(_, id, _)| id.as_str()).collect::<Vec<_>>())
        .bind(starts().map(|start| start.workflow.as_str()).collect::<Vec<_>>())
        .bind(starts().map(|start| start.state.as_str()).collect::<Vec<_>>())
        .bind(starts().map(|start| start.snapshot.as_slice()).collect::<Vec<_>>())
        .bind(starts().map(|start| start.arguments.as_bytes()).collect::<Vec<_>>())
        .bind(starts().map(|start| start.definition.0.cast_signed()).collect::<Vec<_>>())
        .bind(starts().map(|start| later.get(&start.run_id).copied()).collect::<Vec<_>>())
        .execute(transaction.get())
        .await?;
    if runs.is_empty() {
        return Ok(());
    }
    attributes::write_new(transaction.get(), &runs.iter().collect::<Vec<_>>()).await?;
    for run in &runs {
        lifecycle::write(transaction.get(), now, run).await?;
    }
    Ok(())
}
