//! Starts of children.

use std::collections::{HashMap, HashSet};

use uuid::Uuid;

use super::follow::add_run;
use crate::error::StoreError;
use crate::model::{ChildStart, Message, ParentClose, RunId};
use crate::store::ends::handle;
use crate::store::rows::{NamedRow, first_of, write_message};
use crate::store::sqlite::effects::attributes;
use crate::store::sqlite::lifecycle::add_terms;
use crate::store::sqlite::messages::add_removal;
use crate::store::sqlite::script::Script;
use crate::store::sqlite::{SqliteStore, failed};
use crate::store::{MessageKey, NewRun, Relayed};

const KNOWN: &str = "BEGIN IMMEDIATE; SELECT child_id FROM piton_children WHERE child_id IN (";

const OPEN: &str = "SELECT workflow_id, run_id FROM piton_runs WHERE closed_at IS NULL \
    AND workflow_id IN (";

const INSERT: &str = concat!(
    "INSERT INTO piton_children (child_id, workflow_id, parent_run_id, parent_chain, on_parent_close, \
     is_attached, taken_by, ends_with_run) SELECT column1, column2, column3, ",
    first_of!("column3"),
    ", column4, column5, column6, column7 FROM ("
);

const AWAIT: &str = "INSERT INTO piton_child_waits (child_id, run_id, handle) \
    SELECT column1, column2, column3 FROM (";

/// A failed start is reported as the child's end; there is no run whose commits could number the message.
const REFUSE: &str = "INSERT OR IGNORE INTO piton_outbox (run_id, seq, workflow_id, message, sent_at) \
    SELECT column1, 1048575, '', ?, ? FROM (";

/// Starts children that were not started before. A child's row records the attempt.
pub(in crate::store::sqlite) async fn start_children(
    store: &SqliteStore,
    starts: Vec<(MessageKey, String, ChildStart)>,
    relayed: &mut Relayed,
) -> Result<(), StoreError> {
    if starts.is_empty() {
        return Ok(());
    }
    let failed = failed("relay_messages");
    let keys: Vec<MessageKey> = starts.iter().map(|(key, ..)| *key).collect();
    let mut turn = store.turn().await;
    let now = store.moment().time;
    let mut script = Script::new();
    script.sql(KNOWN).values(1, starts.iter(), |script, (_, _, start)| {
        script.bind(start.run_id.as_uuid());
    });
    script.sql("); ").sql(OPEN).values(1, starts.iter(), |script, (_, id, _)| {
        script.bind(id.clone());
    });
    script.sql(")");
    let mut rows = turn.begin(script).await.map_err(failed)?;
    let known: Vec<(Uuid,)> = rows.read(1).map_err(failed)?;
    let known: HashSet<RunId> = known.into_iter().map(|(child,)| child.into()).collect();
    let open: Vec<NamedRow> = rows.read(2).map_err(failed)?;
    let open: HashMap<String, Uuid> =
        open.into_iter().map(|row| (row.workflow_id, row.run_id)).collect();
    let new = starts.into_iter().filter(|(_, _, start)| !known.contains(&start.run_id));
    let new: Vec<_> = new
        .map(|(key, id, start)| {
            let taken_by = open.get(&id).copied();
            (key, id, start, taken_by)
        })
        .collect();
    let mut script = Script::new();
    let mut refused = Vec::new();
    if !new.is_empty() {
        script.sql(INSERT).values(7, new.iter(), |script, (key, id, start, taken_by)| {
            let policy = start.on_parent_close;
            let is_attached = taken_by.is_none() && policy != ParentClose::Abandon;
            script.bind(start.run_id.as_uuid()).bind(id.clone()).bind(key.run_id.as_uuid());
            script.bind(policy.as_str()).bind(is_attached).bind(*taken_by);
            script.bind(start.ends_with_run());
        });
        script.sql(") WHERE column1 IS NOT NULL; ");
        let awaited = |(key, _, start, _): &(MessageKey, String, ChildStart, Option<Uuid>)| {
            Some((start.run_id, key.run_id, start.awaited_by?))
        };
        let awaited: Vec<_> = new.iter().filter_map(awaited).collect();
        if !awaited.is_empty() {
            script.sql(AWAIT).values(3, awaited.iter(), |script, (child, waiting, by)| {
                script.bind(child.as_uuid()).bind(waiting.as_uuid()).bind(handle(*by));
            });
            script.sql(") WHERE column1 IS NOT NULL; ");
        }
        for (_, workflow_id, start, taken_by) in new {
            if taken_by.is_none() {
                let run = NewRun::of_child(workflow_id, start, now);
                add_run(&mut script, &run, true, now);
                attributes::add_new(&mut script, std::iter::once(&run));
                add_terms(&mut script, &run, now)?;
            } else if start.awaited_by.is_some() {
                refused.push(start.run_id);
            }
        }
    }
    if !refused.is_empty() {
        script.sql(REFUSE).bind(write_message(&Message::Closed)?).bind(now.as_micros());
        script.values(1, refused.iter(), |script, child| {
            script.bind(child.as_uuid());
        });
        script.sql(") WHERE column1 IS NOT NULL; ");
    }
    add_removal(&mut script, &keys);
    script.sql("COMMIT");
    turn.commit(script).await.map_err(failed)?;
    refused.into_iter().for_each(|child| store.hub.announce_sent(child));
    store.hub.announce_due();
    relayed.carried_out.extend(keys);
    Ok(())
}
