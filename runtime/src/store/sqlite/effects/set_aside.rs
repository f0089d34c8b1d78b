//! Arrivals are moved from inboxes to the dead letters.

use crate::model::{RunId, Timestamp};
use crate::store::rows::write_reason;
use crate::store::sqlite::script::{MAX_ROWS, Script};
use crate::store::{DeadLetterReason, NewDeadLetter};

const INSERT: &str = "INSERT INTO piton_dead_letters \
    (run_id, workflow_id, arrival, reason, set_aside_at) \
    SELECT inbox.run_id, run.workflow_id, inbox.arrival, gone.column3, ? FROM (";

/// `CROSS JOIN` fixes the order of the tables, whatever the planner's statistics are.
const FROM_INBOX: &str = ") AS gone \
    CROSS JOIN piton_inbox AS inbox ON inbox.run_id = gone.column1 AND inbox.seq = gone.column2 \
    CROSS JOIN piton_runs AS run ON run.run_id = inbox.run_id; ";

const REMOVE: &str = "DELETE FROM piton_inbox WHERE (run_id, seq) IN (";

pub(super) fn add(script: &mut Script, gone: &[(RunId, &NewDeadLetter)], now: Timestamp) {
    for gone in gone.chunks(MAX_ROWS) {
        script.sql(INSERT).bind(now.as_micros());
        script.values(3, gone.iter(), |script, (run_id, letter)| {
            let reason = DeadLetterReason::Unreadable(letter.reason.clone());
            script.bind(run_id.as_uuid()).bind(letter.seq).bind(write_reason(&reason));
        });
        script.sql(FROM_INBOX).sql(REMOVE).values(2, gone.iter(), |script, (run_id, letter)| {
            script.bind(run_id.as_uuid()).bind(letter.seq);
        });
        script.sql("); ");
    }
}
