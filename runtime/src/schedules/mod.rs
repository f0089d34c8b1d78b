//! Schedules: their configuration, their progress, and their actions at a given time.
//!
//! [`Config`] and [`State`] are what a store keeps of a schedule, as JSON. [`State`] decides: given the time and
//! what has become of its runs, it tells which runs are to be started, cancelled and terminated. It is a
//! function of its arguments, so a worker that dies before it has written what it has done leaves a state from which
//! another decides the same, and the ids of runs, made of the schedule and the nominal time, do the rest.
//!
//! This must not know stores and clocks.

mod config;
mod doubt;
mod log;
mod state;

pub use config::Overlap;
pub(crate) use config::{Action, Config, NO_WORKFLOW, SignalAction};
pub(crate) use doubt::MAX_ROUND;
pub use log::{LogEntry, LogKind};
pub(crate) use log::{entry, read_entry};
pub use state::Counts;
pub(crate) use state::Decision;
pub(crate) use state::{Backfill, Closed, Identity, Item, ItemKind, Running, Start, State, Taken};
