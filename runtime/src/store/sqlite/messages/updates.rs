//! The progress of updates.

use crate::error::StoreError;
use crate::store::rows::UpdateRow;
use crate::store::sqlite::script::Script;
use crate::store::sqlite::{SqliteStore, failed};
use crate::store::{FoundUpdate, UpdateKey};

const FIND: &str = "SELECT known.dedup_key IS NOT NULL AS is_accepted, known.name AS accepted, \
    run.closed_at IS NOT NULL AS is_closed, \
    (SELECT reply FROM piton_update_replies AS given \
    WHERE given.run_id = run.run_id AND given.update_id = ?3) AS reply \
    FROM piton_runs AS run LEFT JOIN piton_arrival_keys AS known \
    ON known.run_id = run.run_id AND known.dedup_key = ?2 WHERE run.run_id = ?1";

pub(super) async fn find(store: &SqliteStore, key: &UpdateKey) -> Result<FoundUpdate, StoreError> {
    let mut script = Script::new();
    script.sql(FIND).bind(key.run_id.as_uuid()).bind(key.dedup_key()).bind(key.update.clone());
    let rows = store.read(script).await.and_then(|mut rows| rows.read::<UpdateRow>(0));
    FoundUpdate::read(rows.map_err(failed("find_update"))?.pop(), key)
}
