//! Past states are kept.

use sqlx::PgConnection;
use uuid::Uuid;

use crate::store::contract::history::{KeptState, max_history_bytes};
use crate::store::postgres::{named_by, now};

const INSERT: &str = concat!(
    "INSERT INTO piton_history (run_id, step_no, at, state, snapshot) \
     SELECT run_id, step_no, clock.now, state, snapshot FROM ",
    now!(),
    " AS clock, unnest($2::uuid[], $3::bigint[], $4::text[], $5::bytea[]) \
     AS kept (run_id, step_no, state, snapshot)"
);

/// Each run has few more states than are kept. The size of a snapshot is known without reading it. The window
/// function is inside the subquery of each run, so that its rows are looked up by run.
const REMOVE_OLD: &str = concat!(
    "DELETE FROM piton_history AS history USING (SELECT past.run_id, past.step_no \
     FROM unnest($1::uuid[], $2::bigint[]) AS kept (run_id, keep) CROSS JOIN LATERAL \
     (SELECT run_id, step_no, row_number() OVER newest AS place, \
     sum(octet_length(snapshot)) OVER newest AS upto FROM piton_history \
     WHERE piton_history.run_id = kept.run_id WINDOW newest AS (ORDER BY step_no DESC)) AS past \
     WHERE past.place > kept.keep OR past.upto > ",
    max_history_bytes!(),
    ") AS old WHERE ",
    named_by!("history", "old", "step_no")
);

pub(super) async fn write(
    connection: &mut PgConnection,
    now: Option<i64>,
    kept: &[KeptState<'_>],
) -> Result<(), sqlx::Error> {
    let run_ids: Vec<Uuid> = kept.iter().map(|kept| kept.run_id.as_uuid()).collect();
    sqlx::query(INSERT)
        .bind(now)
        .bind(&run_ids)
        .bind(kept.iter().map(|kept| kept.step_no.0).collect::<Vec<_>>())
        .bind(kept.iter().map(|kept| kept.state).collect::<Vec<_>>())
        .bind(kept.iter().map(|kept| kept.snapshot).collect::<Vec<_>>())
        .execute(&mut *connection)
        .await?;
    sqlx::query(REMOVE_OLD)
        .bind(run_ids)
        .bind(kept.iter().map(|kept| i64::from(kept.keep)).collect::<Vec<_>>())
        .execute(connection)
        .await?;
    Ok(())
}
