//! Stored columns as records, by subject, the same for every SQL store.
//!
//! Both databases name their columns alike, so one decoding serves both. A row that no piton writes
//! is [`StoreError::Corrupt`](crate::error::StoreError::Corrupt), never a panic and never a guess.

mod activities;
mod messages;
mod runs;
mod visibility;
mod workers;

pub(super) use self::activities::{ActivityRow, ClaimedActivityRow, ExpiredRow, HeldRow, review};
pub(super) use self::messages::{
    ArrivalRow, LetterRow, Outbox, OutboxRow, letter_columns, read_inboxes, write_arrival,
    write_message, write_reason,
};
pub(super) use self::runs::{
    BlockedRow, ClaimRow, is_adoptable, read_blocked, read_status, workers_died, write_blocked,
};
pub(super) use self::visibility::{EndingRow, RunRow, read_ending};
#[cfg(feature = "postgres")]
pub(super) use self::workers::lease_micros;
pub(super) use self::workers::{WorkerRow, lease_ms};
