//! Parts of statements that several statements have.

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

/// That a row of `worker` is that of `$2`, in its epoch `$3` and with a lease that lasts by the `clock`; and
/// its lock.
macro_rules! lock_worker {
    () => {
        "worker_id = $2 AND epoch = $3 AND lease_expires_at > clock.now FOR KEY SHARE OF worker"
    };
}
pub(super) use lock_worker;

/// The workflow id of a run of this table as a column. A run whose id stands for its workflow id, as it
/// does unless somebody gives it another, takes no place for that in its row and in the indexes.
macro_rules! workflow_id {
    ($table:literal) => {
        concat!("coalesce(", $table, ".workflow_id, ", $table, ".run_id::text) AS workflow_id")
    };
}
pub(super) use workflow_id;

/// The definition of a run of this table as a column, which is a number as hashes are elsewhere.
macro_rules! definition {
    ($table:literal) => {
        concat!("('x' || encode(", $table, ".definition, 'hex'))::bit(64)::bigint AS definition")
    };
}
pub(super) use definition;

/// That a row is the one that another row names: by its run, and by one more column of its key if there
/// is one.
///
/// A range of one and not an equality, because by that two lists may also be merged. The planner would
/// therefore think of reading all rows in the order of an index, and do so wherever it has seen few, for
/// as long as the connection keeps the plan. For the same reason it is put in order by what names it. Of
/// a key of two columns a range would be read to the end of the run, so these are in lists of one.
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

/// The run whose id this workflow id is, letter by letter.
pub(super) fn named_after(workflow_id: &str) -> Option<Uuid> {
    let run_id: RunId = workflow_id.parse().ok()?;
    (run_id.to_string() == workflow_id).then(|| run_id.as_uuid())
}
