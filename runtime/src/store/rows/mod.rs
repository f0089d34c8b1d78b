//! Stored columns as records, by subject, for all SQL stores.
//!
//! Both databases use the same names of columns, so one decoder serves both. A row that piton does not write is
//! [`StoreError::Corrupt`](crate::error::StoreError::Corrupt), never a panic or a guess.

mod activities;
mod attendance;
mod attributes;
mod audit;
mod definitions;
mod details;
mod edits;
mod failed_calls;
mod history;
mod kin;
mod lifecycle;
mod messages;
mod partitions;
mod pauses;
mod promises;
mod queues;
mod runs;
mod schedules;
mod visibility;
mod workers;

pub(super) use self::activities::{
    ActivityRow, ClaimedActivityRow, ExpiredRow, HeldRow, activity_columns, being_made,
    claimed_activity_columns, review,
};
#[cfg(feature = "postgres")]
pub(super) use self::attendance::MovedDeadline;
pub(super) use self::attendance::{AttendanceRow, AttendedRow};
pub(super) use self::attributes::{AttributeRow, names_in, select_attribute_names};
use self::attributes::{read_attributes, read_memo};
pub(super) use self::audit::{AuditRow, audit_columns};
pub(super) use self::definitions::{DefinitionRow, SchemaRow, SummaryRow, read_summaries};
pub(super) use self::details::{DetailsRow, queued_columns, read_details};
#[cfg(feature = "postgres")]
pub(super) use self::details::{QueuedRow, UnreadRow};
pub(super) use self::edits::EditedRow;
pub(super) use self::failed_calls::{FailedCallRow, failed_call_columns};
pub(super) use self::history::{PastStateRow, PastStepRow};
pub(super) use self::kin::{
    AttachedChild, AttachedRow, ChainRow, ChildRow, ChildWait, ChildWaitRow, EndRow, KinRow,
    LastRunRow, first_of, last_of,
};
pub(super) use self::lifecycle::{DeadlineRow, TermsRow, write_terms};
use self::messages::read_arrival;
pub(super) use self::messages::{
    ArrivalRow, LetterRow, Outbox, OutboxRow, UpdateRow, letter_columns, read_inboxes,
    write_arrival, write_message, write_reason, write_reply,
};
pub(super) use self::partitions::{
    CandidateRow, LimitsRow, PartitionRow, PartitionedRow, UnderWayRow, WaitingRow,
    partitioned_columns, select_partitions,
};
pub(super) use self::pauses::PausableRow;
pub(super) use self::promises::{
    ListedPromiseRow, PlaceRow, StoredPromiseRow, WaitRow, add_holder, add_runs, key_texts,
    promise_columns, read_promises, read_settles, write_outcome,
};
pub(super) use self::queues::{
    QueueRow, activity_counts, counts_or_none, queue_records, select_queues,
};
#[cfg(feature = "sqlite")]
pub(super) use self::runs::claim_columns;
pub(super) use self::runs::{
    BlockedRow, ClaimRow, NamedRow, ReviewedRow, interruption_pause, is_adoptable, read_blocked,
    read_status, workers_died, write_blocked,
};
pub(super) use self::schedules::{
    ScheduleLogRow, ScheduleRow, schedule_columns, schedule_log_columns,
};
pub(super) use self::visibility::{
    CountRow, DefinitionCountRow, EndingRow, RunRow, in_order, read_counts, read_ending,
    read_run_counts,
};
#[cfg(feature = "postgres")]
pub(super) use self::workers::{LeaseRow, lease_micros};
pub(super) use self::workers::{WorkerRow, lease_ms};
