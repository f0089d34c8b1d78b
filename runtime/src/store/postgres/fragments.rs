//! Shared parts of statements.

use uuid::Uuid;

use crate::model::RunId;

/// The time as a subquery. The first parameter of every statement that uses it is
/// [`given_time`](super::PostgresStore::given_time).
macro_rules! now {
    () => {
        "(SELECT coalesce($1::bigint, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint) \
         AS now)"
    };
}
pub(super) use now;

/// The condition that a row of `worker` belongs to `$2`, with its epoch `$3` and a lease that is valid by the
/// `clock`; and the lock of that row.
macro_rules! lock_worker {
    () => {
        "worker_id = $2 AND epoch = $3 AND lease_expires_at > clock.now FOR KEY SHARE OF worker"
    };
}
pub(super) use lock_worker;

/// The workflow id of a run of this table as a column. A run whose id is also its workflow id, which is the
/// default, does not store it in its row and in the indexes.
macro_rules! workflow_id {
    ($table:literal) => {
        concat!("coalesce(", $table, ".workflow_id, ", $table, ".run_id::text) AS workflow_id")
    };
}
pub(super) use workflow_id;

/// The definition of a run of this table as a column; it is a number, like other hashes.
macro_rules! definition {
    ($table:literal) => {
        concat!("('x' || encode(", $table, ".definition, 'hex'))::bit(64)::bigint AS definition")
    };
}
pub(super) use definition;

/// The condition that a row is the one named by another row: by its run, and by a second key column if there is
/// one.
///
/// It is written as a range of one value and not as an equality, because with an equality the planner may also
/// merge two lists. It would then consider reading all rows in the order of an index, which it prefers if its
/// statistics show few rows, and the connection would keep that plan. For the same reason, rows are ordered by the
/// naming row. For a key of two columns, a range would be read to the end of the run, so these are compared with
/// lists of one.
macro_rules! named_by {
    ($row:literal, $by:literal) => {
        concat!($row, ".run_id BETWEEN ", $by, ".run_id AND ", $by, ".run_id")
    };
    ($row:literal, $by:literal, $column:literal) => {
        concat!(
            $row,
            ".run_id = ANY (ARRAY[",
            $by,
            ".run_id]) AND ",
            $row,
            ".",
            $column,
            " = ANY (ARRAY[",
            $by,
            ".",
            $column,
            "])"
        )
    };
}
pub(super) use named_by;

/// The run whose id, in its text form, is this workflow id.
pub(super) fn named_after(workflow_id: &str) -> Option<Uuid> {
    let run_id: RunId = workflow_id.parse().ok()?;
    (run_id.to_string() == workflow_id).then(|| run_id.as_uuid())
}
