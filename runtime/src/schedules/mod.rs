//! Schedules: their configuration, their progress, and their actions at a given time.
//!
//! A store keeps a schedule's [`Config`] and [`State`] as JSON. Given the time and the statuses of its runs,
//! [`State`] decides which runs to start, cancel and terminate. It is a pure function of its arguments: if a worker
//! dies before it has written the result, another worker makes the same decisions. A repeated start has no effect,
//! because the id of a run is a hash of the schedule and the nominal time.
//!
//! This module must not know stores or clocks.

mod config;
mod doubt;
mod log;
mod state;

pub use config::Overlap;
pub(crate) use config::{Action, Config, NO_WORKFLOW, SCHEDULE, SignalAction, TIME};
pub(crate) use doubt::MAX_ROUND;
pub use log::{LogEntry, LogKind};
pub(crate) use log::{entry, read_entry};
pub use state::Counts;
pub(crate) use state::Decision;
pub(crate) use state::{Backfill, Closed, Identity, Item, ItemKind, Running, Start, State, Taken};
