//! Schedules: storing, claiming and updating them.

use std::time::Duration;

use async_trait::async_trait;
use uuid::Uuid;

use crate::error::StoreError;
use crate::model::{Payload, RunId, Timestamp};

/// The maximum number of entries in the log of a schedule.
pub const MAX_SCHEDULE_LOG: u32 = 500;

/// Stores schedules and finds those that are due.
///
/// Each write of a schedule increases its *version*. A change names the version that it was made from, so the
/// second of two concurrent changes fails and can be made again. Stores do not interpret the configuration and the
/// progress of a schedule: both are texts.
///
/// The rules common to all methods are documented at [`Store`](super::Store).
#[async_trait]
pub trait Schedules: Send + Sync {
    /// Inserts a schedule. Guard: no schedule has its id, except one with the same token, which an earlier call
    /// with the same request has inserted.
    async fn create_schedule(&self, schedule: NewSchedule) -> Result<ScheduleCreated, StoreError>;

    /// The schedule with this id. Locks nothing.
    async fn find_schedule(&self, id: &str) -> Result<Option<ScheduleRecord>, StoreError>;

    /// The schedules of one workflow or of all, ordered by id: at most `limit`, and as many as fit in one response.
    /// With `after`, only those after it. Locks nothing.
    async fn list_schedules(
        &self,
        workflow: Option<&str>,
        after: Option<&str>,
        limit: u32,
    ) -> Result<Vec<ScheduleRecord>, StoreError>;

    /// The number of schedules of one workflow or of all. Locks nothing.
    async fn count_schedules(&self, workflow: Option<&str>) -> Result<u64, StoreError>;

    /// Returns due schedules, the longest due first, and makes each due again after [`hold`](ClaimSchedules::hold),
    /// in case the caller dies. Increases their versions, so changes made from earlier reads fail. A claim that
    /// finds nothing writes nothing.
    ///
    /// Guard: each is still due once it is locked. Skips schedules that are locked, so claims do not wait for each
    /// other and no schedule is returned twice.
    async fn claim_schedules(
        &self,
        request: ClaimSchedules<'_>,
    ) -> Result<ClaimedSchedules, StoreError>;

    /// Saves the progress of schedules, each independently: a refused one does not stop the others. Returns, in the
    /// order of `changes`, whether each was saved. No two changes may concern the same schedule. New log entries
    /// get the next numbers; only the last [`MAX_SCHEDULE_LOG`] are kept.
    ///
    /// Guard: the schedule exists with the same token and version. Locks the schedules in the order of their ids.
    async fn save_schedules(&self, changes: Vec<SaveSchedule>) -> Result<Vec<bool>, StoreError>;

    /// Removes a schedule with its log. Returns whether it existed. Runs that it has started stay.
    async fn delete_schedule(&self, id: &str) -> Result<bool, StoreError>;

    /// The log of a schedule, the newest entries first: at most `limit`, and as many as fit in one response. With
    /// `before`, only entries with lower numbers. Locks nothing.
    async fn list_schedule_log(
        &self,
        id: &str,
        before: Option<i64>,
        limit: u32,
    ) -> Result<Vec<ScheduleLogEntry>, StoreError>;
}

/// A schedule to create.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewSchedule {
    /// Its id.
    pub id: String,
    /// A token that distinguishes it from earlier schedules with its id.
    pub token: Uuid,
    /// The workflow that it starts; empty if it starts none.
    pub workflow: String,
    /// The encoded arguments.
    pub arguments: Payload,
    /// Its configuration, as JSON.
    pub config: String,
    /// Its progress, as JSON.
    pub state: String,
    /// When it is due.
    pub due_at: Option<Timestamp>,
    /// The first entries of its log.
    pub log: Vec<NewScheduleLogEntry>,
}

/// The result of creating a schedule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScheduleCreated {
    /// It was created.
    Created,
    /// Another one has its id.
    IdTaken,
}

/// A schedule, as stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScheduleRecord {
    /// Its id.
    pub id: String,
    /// A token that distinguishes it from earlier schedules with its id.
    pub token: Uuid,
    /// How often its row was written.
    pub version: i64,
    /// How often its configuration was changed.
    pub revision: i64,
    /// The workflow that it starts.
    pub workflow: String,
    /// The encoded arguments.
    pub arguments: Payload,
    /// Its configuration, as JSON.
    pub config: String,
    /// Its progress, as JSON.
    pub state: String,
    /// When it is due; `None` means never.
    pub due_at: Option<Timestamp>,
    /// When it was created, by the database's clock.
    pub created_at: Timestamp,
}

/// Which due schedules a worker asks for.
#[derive(Clone, Copy, Debug)]
pub struct ClaimSchedules<'a> {
    /// The workflows that they start.
    pub workflows: &'a [&'a str],
    /// The maximum number.
    pub limit: u32,
    /// How long after the claim they are due again.
    pub hold: Duration,
}

/// The result of a claim.
#[derive(Clone, Debug, Default)]
pub struct ClaimedSchedules {
    /// The schedules.
    pub schedules: Vec<ScheduleRecord>,
    /// When the next schedule of these workflows that was not returned is due.
    pub next_due_at: Option<Timestamp>,
    /// The database's clock at the claim.
    pub now: Timestamp,
}

/// The new progress of a schedule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SaveSchedule {
    /// Its id.
    pub id: String,
    /// Its token.
    pub token: Uuid,
    /// Its version when it was read.
    pub version: i64,
    /// Its progress, as JSON.
    pub state: String,
    /// When it is due.
    pub due_at: Option<Timestamp>,
    /// Its new configuration, if that changes.
    pub change: Option<ScheduleChange>,
    /// Entries to append to its log.
    pub log: Vec<NewScheduleLogEntry>,
}

/// The new configuration of a schedule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScheduleChange {
    /// The workflow that it starts.
    pub workflow: String,
    /// The encoded arguments.
    pub arguments: Payload,
    /// The configuration, as JSON.
    pub config: String,
}

/// An action of a schedule, or a change of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewScheduleLogEntry {
    /// The kind, in one word.
    pub kind: String,
    /// The nominal time it concerns.
    pub nominal_at: Option<Timestamp>,
    /// The run it concerns.
    pub run_id: Option<RunId>,
    /// Further details, as JSON.
    pub details: Option<String>,
}

/// An entry in the log of a schedule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScheduleLogEntry {
    /// Its number in the log of the schedule, from 1.
    pub seq: i64,
    /// When it was written, by the database's clock.
    pub at: Timestamp,
    /// Its content.
    pub entry: NewScheduleLogEntry,
}
