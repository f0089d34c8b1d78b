//! Past states of runs.

use super::script::Script;
use super::{SqliteStore, failed};
use crate::error::StoreError;
use crate::model::{RunId, StepNo};
use crate::store::rows::{PastStateRow, PastStepRow};
use crate::store::{PastState, PastStep};

const LIST: &str = "SELECT step_no, at, state, length(snapshot) AS bytes FROM piton_history \
    WHERE run_id = ? ORDER BY step_no DESC";

const FIND: &str = "SELECT step_no, at, state, snapshot FROM piton_history \
    WHERE run_id = ? AND step_no = ?";

pub(super) async fn list(store: &SqliteStore, run_id: RunId) -> Result<Vec<PastStep>, StoreError> {
    let mut script = Script::new();
    script.sql(LIST).bind(run_id.as_uuid());
    let rows = store.read(script).await.and_then(|mut rows| rows.read::<PastStepRow>(0));
    Ok(rows.map_err(failed("list_history"))?.into_iter().map(Into::into).collect())
}

pub(super) async fn find(
    store: &SqliteStore,
    run_id: RunId,
    step_no: StepNo,
) -> Result<Option<PastState>, StoreError> {
    let mut script = Script::new();
    script.sql(FIND).bind(run_id.as_uuid()).bind(step_no.0);
    let rows = store.read(script).await.and_then(|mut rows| rows.read::<PastStateRow>(0));
    Ok(rows.map_err(failed("find_history"))?.pop().map(Into::into))
}
