//! Taking messages from the outbox.

use crate::store::MessageKey;
use crate::store::sqlite::script::Script;

/// Adds the statement that removes messages from the outbox.
pub(in crate::store::sqlite) fn add_removal(script: &mut Script, keys: &[MessageKey]) {
    script.sql("DELETE FROM piton_outbox WHERE (run_id, seq) IN (");
    script.values(2, keys.iter(), bind_key).sql("); ");
}

pub(in crate::store::sqlite) fn bind_key(script: &mut Script, key: &MessageKey) {
    script.bind(key.run_id.as_uuid()).bind(key.seq);
}
