//! Ends of runs: reporting them to waiting parents, and processing children.

use std::collections::{BTreeSet, HashMap, HashSet};

use sqlx::PgConnection;
use uuid::Uuid;

use super::write_closes;
use crate::error::StoreError;
use crate::model::{ChildEnd, ParentClose, RunId};
use crate::store::ends::handle;
use crate::store::kin::arrivals;
use crate::store::postgres::messages::{find_recipients, keep_leftovers, remove, write};
use crate::store::postgres::transaction::Transaction;
use crate::store::postgres::{PostgresStore, failed, now};
use crate::store::recipients::Question;
use crate::store::rows::{
    AttachedChild, AttachedRow, ChildWait, ChildWaitRow, EndRow, being_made, first_of, last_of,
};
use crate::store::weight::Answer;
use crate::store::{
    ArrivalOutcome, Ending, MessageKey, NewArrival, Relayed, reason_of_parent_close,
};

/// The maximum number of waits, and of children, in one transaction.
const MAX_PART: i64 = 256;

/// Those of the runs `$1` that have ended: the last of their chains, and closed. A child that could not be started
/// has no run.
macro_rules! over {
    () => {
        concat!(
            "(SELECT named.run_id, named.chain FROM (SELECT run_id, ",
            first_of!("named.run_id"),
            " AS chain FROM unnest($1::uuid[]) AS named (run_id)) AS named \
             LEFT JOIN piton_runs AS run ON run.run_id = named.run_id \
             WHERE (run.run_id IS NULL OR run.closed_at IS NOT NULL) AND named.run_id = ",
            last_of!("named.chain"),
            ") AS over"
        )
    };
}

const WAITS: &str = concat!(
    "SELECT over.run_id AS closed, wait.child_id, wait.run_id, wait.handle, \
     (coalesce(octet_length(run.result), 0) + coalesce(octet_length(run.failure), 0))::bigint AS bytes FROM ",
    over!(),
    " CROSS JOIN LATERAL (SELECT * FROM piton_child_waits AS wait WHERE wait.child_id = over.chain \
     ORDER BY run_id, handle LIMIT $2) AS wait \
     LEFT JOIN piton_runs AS run ON run.run_id = over.run_id \
     ORDER BY wait.child_id, wait.run_id, wait.handle LIMIT $2"
);

/// The children of chains that have ended, and those that end with one of the runs which other runs follow.
const ATTACHED: &str = concat!(
    "SELECT child.child_id, child.parent_run_id, child.on_parent_close, ",
    last_of!("child.child_id"),
    " AS last FROM ",
    over!(),
    " CROSS JOIN LATERAL (SELECT * FROM piton_children AS child \
     WHERE child.parent_chain = over.chain AND child.is_attached ORDER BY child_id LIMIT $2) AS child UNION ALL \
     SELECT child.child_id, child.parent_run_id, child.on_parent_close, ",
    last_of!("child.child_id"),
    " FROM unnest($1::uuid[]) AS named (run_id) CROSS JOIN LATERAL (SELECT * FROM piton_children AS child \
     WHERE child.parent_run_id = named.run_id AND child.is_attached AND child.ends_with_run \
     ORDER BY child_id LIMIT $2) AS child WHERE named.run_id <> ",
    last_of!("child.parent_chain"),
    " ORDER BY child_id LIMIT $2"
);

const ENDS: &str = "SELECT named.run_id AS closed, run.status, run.result, run.failure, child.taken_by \
    FROM unnest($1::uuid[]) AS named (run_id) LEFT JOIN piton_runs AS run ON run.run_id = named.run_id \
    LEFT JOIN piton_children AS child ON child.child_id = named.run_id";

const LOCK: &str = "SELECT 1 FROM piton_runs WHERE run_id = ANY ($1) ORDER BY run_id FOR UPDATE";

/// The transaction that deletes a wait also reports the end.
const TELL: &str = "DELETE FROM piton_child_waits AS wait \
    USING (SELECT wait.* FROM unnest($1::uuid[], $2::uuid[], $3::bigint[]) AS told (child_id, run_id, handle) \
    JOIN piton_child_waits AS wait USING (child_id, run_id, handle) \
    ORDER BY child_id, run_id, handle FOR UPDATE OF wait) AS told \
    WHERE (wait.child_id, wait.run_id, wait.handle) = (told.child_id, told.run_id, told.handle) \
    RETURNING wait.child_id, wait.run_id, wait.handle";

/// The transaction that detaches a child also applies the policy. A child that has a successor since the lookup
/// stays.
const DETACH: &str = concat!(
    "UPDATE piton_children AS child SET is_attached = false \
     FROM (SELECT child.child_id FROM unnest($1::uuid[], $2::uuid[]) AS named (child_id, last) \
     JOIN piton_children AS child USING (child_id) WHERE child.is_attached AND named.last = ",
    last_of!("child.child_id"),
    " ORDER BY child_id FOR UPDATE OF child) AS named WHERE child.child_id = named.child_id \
     RETURNING child.child_id"
);

const TERMINATE: &str = concat!(
    "UPDATE piton_runs AS run SET status = 'terminated', closed_at = clock.now, blocked = NULL, blocked_at = NULL, \
     due_at = NULL, worker_id = NULL, epoch = NULL, failure = ended.reason FROM ",
    "(SELECT now FROM ",
    now!(),
    " AS clock) AS clock, unnest($2::uuid[], $3::text[]) AS ended (run_id, reason) \
     WHERE run.run_id = ended.run_id AND run.closed_at IS NULL RETURNING run.run_id"
);

const GIVE_UP: &str = "DELETE FROM piton_activities AS activity USING (SELECT run_id, handle FROM piton_activities \
    WHERE run_id = ANY ($1) ORDER BY run_id, handle FOR UPDATE) AS gone \
    WHERE (activity.run_id, activity.handle) = (gone.run_id, gone.handle) \
    RETURNING activity.run_id, activity.handle, activity.worker_id IS NOT NULL AS is_made";

/// The runs of the list for which something is left to do.
const UNDONE: &str = concat!(
    "SELECT over.run_id FROM ",
    over!(),
    " WHERE (SELECT true FROM piton_child_waits AS wait WHERE wait.child_id = over.chain LIMIT 1) \
     OR (SELECT true FROM piton_children AS child \
     WHERE child.parent_chain = over.chain AND child.is_attached LIMIT 1) UNION ALL \
     SELECT named.run_id FROM unnest($1::uuid[]) AS named (run_id) \
     WHERE EXISTS (SELECT FROM piton_children AS child WHERE child.parent_run_id = named.run_id \
     AND child.is_attached AND child.ends_with_run AND named.run_id <> ",
    last_of!("child.parent_chain"),
    ")"
);

/// The notifications to send after the commit.
#[derive(Default)]
struct Done {
    arrivals: Vec<NewArrival>,
    owners: Vec<Option<crate::model::WorkerId>>,
    any_due: bool,
    terminated: Vec<(RunId, String)>,
    given_up: Vec<crate::store::ActivityKey>,
    over: Vec<RunId>,
    keys: Vec<MessageKey>,
}

/// Does a part of the work for the ends of these runs, as much as one transaction should.
pub(in crate::store::postgres) async fn close_runs(
    store: &PostgresStore,
    closes: Vec<MessageKey>,
    relayed: &mut Relayed,
) -> Result<(), StoreError> {
    if closes.is_empty() {
        return Ok(());
    }
    let done = carry_out(store, &closes).await?;
    for (arrival, owner) in done.arrivals.iter().zip(&done.owners) {
        store.news.arrival(arrival.run_id, *owner);
    }
    if done.any_due {
        store.news.due();
    }
    for (run_id, reason) in &done.terminated {
        store.news.ended(*run_id, || Ending::terminated(reason));
    }
    done.given_up.into_iter().for_each(|key| store.news.given_up(key));
    done.over.into_iter().for_each(|run_id| store.hub.announce_sent(run_id));
    relayed.has_more |= done.keys.len() < closes.len();
    relayed.carried_out.extend(done.keys);
    Ok(())
}

async fn carry_out(store: &PostgresStore, closes: &[MessageKey]) -> Result<Done, StoreError> {
    let failed = failed("relay_messages");
    let now = store.given_time();
    let senders: Vec<Uuid> = closes.iter().map(|key| key.run_id.as_uuid()).collect();
    let mut transaction = Transaction::begin_in(&store.calls).await.map_err(failed)?;
    let (mut waits, mut attached) = look_up(transaction.get(), &senders).await?;

    // Locks all runs together, in order: ended ones, waiting parents, and children.
    let told = waits.iter().map(|wait| wait.waiting.run_id.as_uuid());
    let last = attached.iter().map(|child| child.last.as_uuid());
    let locked: BTreeSet<Uuid> = senders.iter().copied().chain(told).chain(last).collect();
    let locked: Vec<Uuid> = locked.into_iter().collect();
    sqlx::query(LOCK).bind(locked).execute(transaction.get()).await.map_err(failed)?;
    take(transaction.get(), &mut waits, &mut attached).await.map_err(failed)?;

    let closed: BTreeSet<Uuid> = waits.iter().map(|wait| wait.closed.as_uuid()).collect();
    let ends: Vec<EndRow> = sqlx::query_as(ENDS)
        .bind(closed.into_iter().collect::<Vec<_>>())
        .fetch_all(transaction.get())
        .await
        .map_err(failed)?;
    let ends: HashMap<RunId, ChildEnd> =
        ends.into_iter().map(EndRow::into_end).collect::<Result<_, _>>()?;
    let arrivals = arrivals(&waits, &ends, &attached);
    let question = Question::of_arrivals(&arrivals);
    let recipients = find_recipients(now, transaction.get(), &question).await;
    let mut recipients = recipients.map_err(failed)??;
    let accepted: Vec<ArrivalOutcome> =
        arrivals.iter().map(|arrival| recipients.accept(arrival)).collect();
    let (woken, grown) = recipients.grown();
    if !arrivals.is_empty() {
        write(now, transaction.get(), &arrivals, &accepted, (&woken, &grown)).await?;
    }
    let owners = arrivals.iter().map(|arrival| recipients.owner(arrival.run_id)).collect();
    let mut done = Done { arrivals, owners, any_due: !woken.is_empty(), ..Done::default() };
    terminate(transaction.get(), now, &attached, &mut done).await.map_err(failed)?;
    let undone: Vec<Uuid> = sqlx::query_scalar(UNDONE)
        .bind(&senders)
        .fetch_all(transaction.get())
        .await
        .map_err(failed)?;
    let undone: HashSet<RunId> = undone.into_iter().map(RunId::from).collect();
    let is_done = |key: &&MessageKey| !undone.contains(&key.run_id);
    let keys: Vec<MessageKey> = closes.iter().filter(is_done).copied().collect();
    remove(transaction.get(), keys.iter().copied()).await.map_err(failed)?;
    done.keys = keys;
    transaction.commit().await.map_err(failed)?;
    Ok(done)
}

async fn look_up(
    connection: &mut PgConnection,
    senders: &[Uuid],
) -> Result<(Vec<ChildWait>, Vec<AttachedChild>), StoreError> {
    let failed = failed("relay_messages");
    let waits: Vec<ChildWaitRow> = sqlx::query_as(WAITS)
        .bind(senders)
        .bind(MAX_PART)
        .fetch_all(&mut *connection)
        .await
        .map_err(failed)?;
    let mut answer = Answer::default();
    let waits = waits.into_iter().map(ChildWait::from).take_while(|wait| answer.takes(wait.bytes));
    let attached: Vec<AttachedRow> = sqlx::query_as(ATTACHED)
        .bind(senders)
        .bind(MAX_PART)
        .fetch_all(connection)
        .await
        .map_err(failed)?;
    let attached = attached.into_iter().map(AttachedChild::try_from);
    Ok((waits.collect(), attached.collect::<Result<_, _>>()?))
}

/// The rest for later transactions.
async fn take(
    connection: &mut PgConnection,
    waits: &mut Vec<ChildWait>,
    attached: &mut Vec<AttachedChild>,
) -> Result<(), sqlx::Error> {
    let taken: Vec<(Uuid, Uuid, i64)> = sqlx::query_as(TELL)
        .bind(waits.iter().map(|wait| wait.child.as_uuid()).collect::<Vec<_>>())
        .bind(waits.iter().map(|wait| wait.waiting.run_id.as_uuid()).collect::<Vec<_>>())
        .bind(waits.iter().map(|wait| handle(wait.waiting.handle)).collect::<Vec<_>>())
        .fetch_all(&mut *connection)
        .await?;
    let taken: HashSet<_> = taken.into_iter().collect();
    waits.retain(|wait| {
        let ChildWait { child, waiting, .. } = wait;
        let key = (child.as_uuid(), waiting.run_id.as_uuid(), handle(waiting.handle));
        taken.contains(&key)
    });
    let detached: Vec<Uuid> = sqlx::query_scalar(DETACH)
        .bind(attached.iter().map(|child| child.child.as_uuid()).collect::<Vec<_>>())
        .bind(attached.iter().map(|child| child.last.as_uuid()).collect::<Vec<_>>())
        .fetch_all(connection)
        .await?;
    attached.retain(|child| detached.contains(&child.child.as_uuid()));
    Ok(())
}

async fn terminate(
    connection: &mut PgConnection,
    now: Option<i64>,
    attached: &[AttachedChild],
    done: &mut Done,
) -> Result<(), sqlx::Error> {
    let ended = attached.iter().filter(|child| child.policy == ParentClose::Terminate);
    let ended: Vec<(RunId, String)> =
        ended.map(|child| (child.last, reason_of_parent_close(child.parent))).collect();
    if ended.is_empty() {
        return Ok(());
    }
    let terminated: Vec<Uuid> = sqlx::query_scalar(TERMINATE)
        .bind(now)
        .bind(ended.iter().map(|(run_id, _)| run_id.as_uuid()).collect::<Vec<_>>())
        .bind(ended.iter().map(|(_, reason)| reason.as_str()).collect::<Vec<_>>())
        .fetch_all(&mut *connection)
        .await?;
    keep_leftovers(connection, &terminated).await?;
    let given_up = sqlx::query_as(GIVE_UP).bind(&terminated).fetch_all(&mut *connection).await?;
    done.given_up = being_made(given_up).collect();
    done.over = write_closes(connection, now, terminated.clone()).await?;
    let is_terminated = |(run_id, _): &(RunId, String)| terminated.contains(&run_id.as_uuid());
    done.terminated = ended.into_iter().filter(is_terminated).collect();
    Ok(())
}
