//! Past states are kept.

use crate::model::Timestamp;
use crate::store::contract::history::{KeptState, max_history_bytes};
use crate::store::sqlite::script::{MAX_ROWS, Script};

const INSERT: &str = "INSERT INTO piton_history (run_id, step_no, at, state, snapshot) \
    SELECT column1, column2, ?, column3, column4 FROM (";

const REMOVE_OLD: &str = "DELETE FROM piton_history WHERE (run_id, step_no) IN (\
    SELECT run_id, step_no FROM (SELECT past.run_id, past.step_no, kept.column2 AS keep, \
    row_number() OVER newest AS place, sum(length(past.snapshot)) OVER newest AS upto FROM (";

/// `CROSS JOIN` fixes the order of the tables. Each run has few more states than are kept.
const OF_KEPT: &str = concat!(
    ") AS kept CROSS JOIN piton_history AS past ON past.run_id = kept.column1 \
     WINDOW newest AS (PARTITION BY past.run_id ORDER BY past.step_no DESC)) \
     WHERE place > keep OR upto > ",
    max_history_bytes!(),
    "); "
);

pub(super) fn add(script: &mut Script, kept: &[KeptState<'_>], now: Timestamp) {
    for kept in kept.chunks(MAX_ROWS) {
        script.sql(INSERT).bind(now.as_micros()).values(4, kept.iter(), |script, kept| {
            let KeptState { run_id, step_no, state, snapshot, .. } = kept;
            script.bind(run_id.as_uuid()).bind(step_no.0);
            script.bind((*state).to_owned()).bind(snapshot.to_vec());
        });
        script.sql(") WHERE column1 IS NOT NULL; ");
        script.sql(REMOVE_OLD).values(2, kept.iter(), |script, kept| {
            script.bind(kept.run_id.as_uuid()).bind(kept.keep);
        });
        script.sql(OF_KEPT);
    }
}
