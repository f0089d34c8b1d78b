//! Attributes are set and unset, and memos are replaced.

use crate::model::{AttributeChanges, Memo, RunId};
use crate::store::NewRun;
use crate::store::rows::AttributeRow;
use crate::store::sqlite::script::{MAX_ROWS, Script};

const UNSET: &str = "DELETE FROM piton_attributes WHERE (run_id, name) IN (";

const SET: &str = "INSERT INTO piton_attributes \
    (run_id, name, place, kind, text, integer, float, truth, time) \
    SELECT column1, column2, column3, column4, column5, column6, column7, column8, column9 FROM (";

const REMOVE_MEMO: &str = "DELETE FROM piton_memos WHERE run_id IN (";

const ADD_MEMO: &str = "INSERT INTO piton_memos (run_id, memo) SELECT column1, column2 FROM (";

pub(super) fn add(script: &mut Script, changed: &[(RunId, AttributeChanges)]) {
    let names: Vec<_> = changed
        .iter()
        .flat_map(|(run_id, changes)| changes.iter().map(move |(name, _)| (*run_id, name)))
        .collect();
    for names in names.chunks(MAX_ROWS) {
        script.sql(UNSET).values(2, names.iter(), |script, (run_id, name)| {
            script.bind(run_id.as_uuid()).bind((*name).to_owned());
        });
        script.sql("); ");
    }
    let rows = changed.iter().flat_map(|(run_id, changes)| {
        let set = changes.iter().filter_map(|(name, value)| Some((name, value?)));
        set.flat_map(|(name, value)| AttributeRow::of(*run_id, name, value))
    });
    set(script, &rows.collect::<Vec<_>>());
}

fn set(script: &mut Script, rows: &[AttributeRow<'_>]) {
    for rows in rows.chunks(MAX_ROWS) {
        script.sql(SET).values(9, rows.iter(), |script, row| {
            script
                .bind(row.run_id)
                .bind(row.name.to_owned())
                .bind(row.place)
                .bind(row.kind)
                .bind(row.text.map(str::to_owned))
                .bind(row.integer)
                .bind(row.float)
                .bind(row.truth)
                .bind(row.time);
        });
        script.sql(") WHERE column1 IS NOT NULL; ");
    }
}

/// The memos of steps.
pub(super) fn add_memos(script: &mut Script, memos: &[(RunId, &Memo)]) {
    for memos in memos.chunks(MAX_ROWS) {
        script.sql(REMOVE_MEMO).values(1, memos.iter(), |script, (run_id, _)| {
            script.bind(run_id.as_uuid());
        });
        script.sql("); ");
    }
    let memos = memos.iter().filter(|(_, memo)| !memo.is_empty());
    insert_memos(script, &memos.copied().collect::<Vec<_>>());
}

fn insert_memos(script: &mut Script, memos: &[(RunId, &Memo)]) {
    for memos in memos.chunks(MAX_ROWS) {
        script.sql(ADD_MEMO).values(2, memos.iter(), |script, (run_id, memo)| {
            script.bind(run_id.as_uuid()).bind(memo.to_json());
        });
        script.sql(") WHERE column1 IS NOT NULL; ");
    }
}

/// The attributes with which runs are started.
pub(in crate::store::sqlite) fn add_new<'a>(
    script: &mut Script,
    runs: impl Iterator<Item = &'a NewRun> + Clone,
) {
    let rows: Vec<_> = runs
        .clone()
        .flat_map(|run| {
            let attributes = run.attributes.iter();
            attributes.flat_map(|(name, value)| AttributeRow::of(run.run_id, name, value))
        })
        .collect();
    set(script, &rows);
    let memos = runs.filter(|run| !run.memo.is_empty()).map(|run| (run.run_id, &run.memo));
    insert_memos(script, &memos.collect::<Vec<_>>());
}
