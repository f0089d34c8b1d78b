//! Ends of runs: reporting them to waiting parents, and processing children.

use std::collections::{BTreeSet, HashMap};

use super::{add_closes_of_kin, announce};
use crate::error::StoreError;
use crate::model::{ParentClose, RunId, Timestamp};
use crate::store::ends::handle;
use crate::store::kin::arrivals;
use crate::store::recipients::Question;
use crate::store::rows::{
    AttachedChild, AttachedRow, ChildWait, ChildWaitRow, EndRow, being_made, first_of, last_of,
};
use crate::store::sqlite::messages::{add_arrivals, add_counts, add_leftovers, bind_key, look_up};
use crate::store::sqlite::script::{MAX_ROWS, Script};
use crate::store::sqlite::{SqliteStore, failed};
use crate::store::weight::Answer;
use crate::store::{Ending, MessageKey, Relayed, RunEvent, reason_of_parent_close};

/// The maximum number of waits, and of children, in one transaction: together they fit in one statement.
const MAX_PART: i64 = MAX_ROWS as i64 / 2;

/// Selects the runs of a list that have ended: the last of their chains, and closed. A child that could not be
/// started has no run.
const OVER: &str = concat!(
    "SELECT named.run_id, named.chain FROM (SELECT column1 AS run_id, ",
    first_of!("column1"),
    " AS chain FROM ("
);

const IS_OVER: &str = concat!(
    ") WHERE column1 IS NOT NULL) AS named LEFT JOIN piton_runs AS run ON run.run_id = named.run_id \
     WHERE (run.run_id IS NULL OR run.closed_at IS NOT NULL) AND named.run_id = ",
    last_of!("named.chain")
);

const WAITS: &str = "SELECT over.run_id AS closed, wait.child_id, wait.run_id, wait.handle, \
    coalesce(length(run.result), 0) + coalesce(length(run.failure), 0) AS bytes FROM (";

const OF_OVER: &str = ") AS over CROSS JOIN piton_child_waits AS wait ON wait.child_id = over.chain \
    LEFT JOIN piton_runs AS run ON run.run_id = over.run_id \
    ORDER BY wait.child_id, wait.run_id, wait.handle LIMIT ?; ";

const ATTACHED: &str = concat!(
    "SELECT child.child_id, child.parent_run_id, child.on_parent_close, ",
    last_of!("child.child_id"),
    " AS last FROM ("
);

const TO_OVER: &str = ") AS over CROSS JOIN piton_children AS child \
    ON child.parent_chain = over.chain AND child.is_attached = 1 UNION ALL ";

/// The children that end with one of the runs of a list which other runs follow.
const OF_FOLLOWED: &str = concat!(
    "SELECT child.child_id, child.parent_run_id, child.on_parent_close, ",
    last_of!("child.child_id"),
    " FROM ("
);

const TO_FOLLOWED: &str = concat!(
    ") AS named CROSS JOIN piton_children AS child ON child.parent_run_id = named.column1 \
     AND child.is_attached = 1 AND child.ends_with_run = 1 WHERE named.column1 <> ",
    last_of!("child.parent_chain"),
    " ORDER BY child_id LIMIT ?"
);

const ENDS: &str =
    "SELECT named.column1 AS closed, run.status, run.result, run.failure, child.taken_by FROM (";

const OF_CLOSED: &str = ") AS named LEFT JOIN piton_runs AS run ON run.run_id = named.column1 \
    LEFT JOIN piton_children AS child ON child.child_id = named.column1 WHERE named.column1 IS NOT NULL";

const TOLD: &str = "DELETE FROM piton_child_waits WHERE (child_id, run_id, handle) IN (";

const DETACH: &str = "UPDATE piton_children SET is_attached = 0 WHERE child_id IN (";

const TERMINATE: &str = "UPDATE piton_runs INDEXED BY piton_runs_run_id SET status = 'terminated', closed_at = ?, \
    blocked = NULL, blocked_at = NULL, due_at = NULL, worker_id = NULL, epoch = NULL, failure = ended.column2 FROM (";

const IF_OPEN: &str =
    ") AS ended WHERE run_id = ended.column1 AND closed_at IS NULL RETURNING run_id; ";

const GIVE_UP: &str = "DELETE FROM piton_activities WHERE run_id IN (";

/// Removes from the outbox the messages of ended runs for which nothing is left to do, and those of runs that have
/// not ended.
const DONE: &str = "DELETE FROM piton_outbox WHERE (run_id, seq) IN (";

const IF_DONE: &str = concat!(
    ") AND NOT EXISTS (SELECT 1 FROM piton_child_waits WHERE child_id = ",
    first_of!("piton_outbox.run_id"),
    ") AND NOT EXISTS (SELECT 1 FROM piton_children WHERE is_attached = 1 AND parent_chain = ",
    first_of!("piton_outbox.run_id"),
    ") OR (run_id, seq) IN ("
);

const OR_NOT_OVER: &str = concat!(
    ") AND (EXISTS (SELECT 1 FROM piton_runs AS run WHERE run.run_id = piton_outbox.run_id \
     AND run.closed_at IS NULL) OR run_id <> ",
    last_of!(
        "(SELECT coalesce((SELECT first_run_id FROM piton_chains AS own \
         WHERE own.run_id = piton_outbox.run_id), piton_outbox.run_id))"
    ),
    " AND NOT EXISTS (SELECT 1 FROM piton_children AS child WHERE child.parent_run_id = piton_outbox.run_id \
     AND child.is_attached = 1 AND child.ends_with_run = 1)) RETURNING run_id, seq; "
);

/// Does a part of the work for the ends of these runs, as much as one transaction should.
pub(in crate::store::sqlite) async fn close_runs(
    store: &SqliteStore,
    closes: Vec<MessageKey>,
    relayed: &mut Relayed,
) -> Result<(), StoreError> {
    if closes.is_empty() {
        return Ok(());
    }
    let failed = failed("relay_messages");
    let mut turn = store.turn().await;
    let moment = store.moment();
    let now = moment.time;
    let mut script = Script::new();
    script.sql("BEGIN IMMEDIATE; ").sql(WAITS);
    add_over(&mut script, &closes);
    script.sql(OF_OVER).bind(MAX_PART).sql(ATTACHED);
    add_over(&mut script, &closes);
    script.sql(TO_OVER).sql(OF_FOLLOWED);
    add_runs(&mut script, &closes);
    script.sql(TO_FOLLOWED).bind(MAX_PART);
    let mut rows = turn.begin(script).await.map_err(failed)?;
    let waits: Vec<ChildWaitRow> = rows.read(1).map_err(failed)?;
    let mut answer = Answer::default();
    let waits = waits.into_iter().map(ChildWait::from).take_while(|wait| answer.takes(wait.bytes));
    let waits: Vec<ChildWait> = waits.collect();
    let attached: Vec<AttachedRow> = rows.read(2).map_err(failed)?;
    let attached: Vec<AttachedChild> =
        attached.into_iter().map(AttachedChild::try_from).collect::<Result<_, _>>()?;

    let mut ends = HashMap::new();
    let closed: BTreeSet<RunId> = waits.iter().map(|wait| wait.closed).collect();
    if !closed.is_empty() {
        let mut script = Script::new();
        script.sql(ENDS).values(1, closed.iter(), |script, run_id| {
            script.bind(run_id.as_uuid());
        });
        script.sql(OF_CLOSED);
        let rows = turn.go_on(script).await.and_then(|mut rows| rows.read::<EndRow>(0));
        for row in rows.map_err(failed)? {
            let (run_id, end) = row.into_end()?;
            ends.insert(run_id, end);
        }
    }
    let arrivals = arrivals(&waits, &ends, &attached);
    let question = Question::of_arrivals(&arrivals);
    let mut recipients = look_up(&mut turn, &question, moment).await.map_err(failed)??;
    let accepted: Vec<_> = arrivals.iter().map(|arrival| recipients.accept(arrival)).collect();
    let (woken, told) = recipients.grown();

    let mut script = Script::new();
    add_arrivals(&mut script, &arrivals, &accepted, now)?;
    add_counts(&mut script, (&woken, &told), now);
    if !waits.is_empty() {
        script.sql(TOLD).values(3, waits.iter(), |script, wait| {
            script.bind(wait.child.as_uuid()).bind(wait.waiting.run_id.as_uuid());
            script.bind(handle(wait.waiting.handle));
        });
        script.sql("); ");
    }
    if !attached.is_empty() {
        script.sql(DETACH).values(1, attached.iter(), |script, child| {
            script.bind(child.child.as_uuid());
        });
        script.sql("); ");
    }
    turn.go_on(script).await.map_err(failed)?;
    let ended = attached.iter().filter(|child| child.policy == ParentClose::Terminate);
    let ended: Vec<(RunId, String)> =
        ended.map(|child| (child.last, reason_of_parent_close(child.parent))).collect();
    let mut script = Script::new();
    let statements = add_terminations(&mut script, &ended, now)?;
    script.sql(DONE);
    add_keys(&mut script, &closes);
    script.sql(IF_DONE);
    add_keys(&mut script, &closes);
    script.sql(OR_NOT_OVER).sql("COMMIT");
    let mut rows = turn.commit(script).await.map_err(failed)?;

    for arrival in &arrivals {
        store.hub.announce(RunEvent::Arrival(arrival.run_id));
    }
    if !woken.is_empty() {
        store.hub.announce_due();
    }
    if statements > 0 {
        let reasons: HashMap<RunId, String> = ended.into_iter().collect();
        for (run_id,) in rows.read::<(uuid::Uuid,)>(0).map_err(failed)? {
            let run_id = run_id.into();
            let reason = reasons.get(&run_id).map_or("", String::as_str);
            store.hub.announce_end(run_id, || Ending::terminated(reason));
        }
        being_made(rows.read(2).map_err(failed)?).for_each(|key| store.hub.announce_given_up(key));
        announce(store, &mut rows, 3).map_err(failed)?;
    }
    let done = rows.read::<(uuid::Uuid, i64)>(statements).map_err(failed)?;
    relayed.has_more |= done.len() < closes.len();
    let key = |(run_id, seq): (uuid::Uuid, i64)| MessageKey { run_id: run_id.into(), seq };
    relayed.carried_out.extend(done.into_iter().map(key));
    Ok(())
}

/// Closes open runs with their rows. Returns the number of statements: the third returns removed activities, the
/// fourth the runs on whose end others depend.
pub(in crate::store::sqlite) fn add_terminations(
    script: &mut Script,
    ended: &[(RunId, String)],
    now: Timestamp,
) -> Result<usize, StoreError> {
    if ended.is_empty() {
        return Ok(0);
    }
    script.sql(TERMINATE).bind(now.as_micros());
    script.values(2, ended.iter(), |script, (run_id, reason)| {
        script.bind(run_id.as_uuid()).bind(reason.clone());
    });
    script.sql(IF_OPEN);
    let run_ids: Vec<RunId> = ended.iter().map(|(run_id, _)| *run_id).collect();
    add_leftovers(script, &run_ids);
    script.sql(GIVE_UP).values(1, run_ids.iter(), |script, run_id| {
        script.bind(run_id.as_uuid());
    });
    script.sql(") RETURNING run_id, handle, worker_id IS NOT NULL AS is_made; ");
    add_closes_of_kin(script, &run_ids, now)?;
    script.sql("; ");
    Ok(4)
}

fn add_over(script: &mut Script, closes: &[MessageKey]) {
    script.sql(OVER);
    add_runs(script, closes);
    script.sql(IS_OVER);
}

fn add_runs(script: &mut Script, closes: &[MessageKey]) {
    script.values(1, closes.iter(), |script, key| {
        script.bind(key.run_id.as_uuid());
    });
}

fn add_keys(script: &mut Script, closes: &[MessageKey]) {
    script.values(2, closes.iter(), bind_key);
}
