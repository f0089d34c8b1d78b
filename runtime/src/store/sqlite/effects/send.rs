//! Messages are put into the outbox.

use std::collections::BTreeSet;

use crate::error::StoreError;
use crate::model::{Message, OutgoingMessage, RunId, Timestamp};
use crate::store::MessageKey;
use crate::store::rows::write_message;
use crate::store::sqlite::kin::add_marks;
use crate::store::sqlite::script::{MAX_ROWS, Script};

const INSERT: &str = "INSERT INTO piton_outbox (run_id, seq, workflow_id, message, sent_at) \
    SELECT column1, column2, column3, column4, ? FROM (";

pub(crate) fn add(
    script: &mut Script,
    sent: &[(MessageKey, &OutgoingMessage)],
    now: Timestamp,
) -> Result<(), StoreError> {
    for sent in sent.chunks(MAX_ROWS) {
        let bodies: Result<Vec<_>, _> =
            sent.iter().map(|(_, message)| write_message(&message.body)).collect();
        script.sql(INSERT).bind(now.as_micros());
        script.values(4, sent.iter().zip(bodies?), |script, ((key, message), body)| {
            let MessageKey { run_id, seq } = key;
            script.bind(run_id.as_uuid()).bind(*seq).bind(message.to.clone()).bind(body);
        });
        script.sql(") WHERE column1 IS NOT NULL; ");
    }
    let starts = sent.iter().filter(|(_, message)| matches!(message.body, Message::Start(_)));
    let parents: BTreeSet<RunId> = starts.map(|(key, _)| key.run_id).collect();
    let parents: Vec<RunId> = parents.into_iter().collect();
    add_marks(script, &parents);
    Ok(())
}
