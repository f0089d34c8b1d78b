//! Schedules: storing, claiming and updating them.

use std::time::Duration;

use async_trait::async_trait;
use uuid::Uuid;

use crate::error::StoreError;
use crate::model::{Payload, RunId, Timestamp};

/// How many entries the log of a schedule keeps.
pub const MAX_SCHEDULE_LOG: u32 = 500;

/// Keeps schedules, and tells which are due.
///
/// A schedule has a *version*, which each write raises. Whoever changes one names the version that he has read, so
/// of two who change it at the same time one is told to read again. What a schedule says and what it has done is
/// the engine's affair: to a store both are texts.
///
/// What holds for all methods is said at [`Store`](super::Store).
#[async_trait]
pub trait Schedules: Send + Sync {
    /// Inserts a schedule. Guard: none has its id, or the one that has it has its token as well, as it does when
    /// the call was made before.
    async fn create_schedule(&self, schedule: NewSchedule) -> Result<ScheduleCreated, StoreError>;

    /// The schedule with this id. Locks nothing.
    async fn find_schedule(&self, id: &str) -> Result<Option<ScheduleRecord>, StoreError>;

    /// The schedules of a workflow, or all, in the order of their ids, at most `limit` and as far as they fit one
    /// answer; with `after`, only those behind it. Locks nothing.
    async fn list_schedules(
        &self,
        workflow: Option<&str>,
        after: Option<&str>,
        limit: u32,
    ) -> Result<Vec<ScheduleRecord>, StoreError>;

    /// How many schedules of a workflow, or at all, there are. Locks nothing.
    async fn count_schedules(&self, workflow: Option<&str>) -> Result<u64, StoreError>;

    /// Gives those that are due, the longest due first, and has each be due again after
    /// [`hold`](ClaimSchedules::hold), in case that whoever got it does not come back. Their versions are raised, so
    /// what is known of them from before is worth nothing. Asking in vain writes nothing.
    ///
    /// Guard: each is still due once it is locked. Skips those that somebody else has locked: of two claims none
    /// waits for the other, and no schedule is given to both.
    async fn claim_schedules(
        &self,
        request: ClaimSchedules<'_>,
    ) -> Result<ClaimedSchedules, StoreError>;

    /// Writes what schedules have come to, each on its own: one that is refused does not stop the others. The
    /// answers are in the order of `changes`, of which no two may be of one schedule. Entries of the log get
    /// the numbers that follow; of the oldest, no more than [`MAX_SCHEDULE_LOG`] stay.
    ///
    /// Guard: the schedule is there with the same token and version. Locks the schedules in the order of their
    /// ids.
    async fn save_schedules(&self, changes: Vec<SaveSchedule>) -> Result<Vec<bool>, StoreError>;

    /// Removes a schedule with its log. Returns whether it was there. Runs that it has started stay.
    async fn delete_schedule(&self, id: &str) -> Result<bool, StoreError>;

    /// The log of a schedule, the newest first, at most `limit` and as far as it fits one answer; with `before`, only
    /// what is behind that number. Locks nothing.
    async fn list_schedule_log(
        &self,
        id: &str,
        before: Option<i64>,
        limit: u32,
    ) -> Result<Vec<ScheduleLogEntry>, StoreError>;
}

/// A schedule to be kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewSchedule {
    /// Its id.
    pub id: String,
    /// What tells it from others that had its id before.
    pub token: Uuid,
    /// The workflow that it starts; empty if it starts none.
    pub workflow: String,
    /// The encoded arguments.
    pub arguments: Payload,
    /// What it says, as JSON.
    pub config: String,
    /// How far it has come, as JSON.
    pub state: String,
    /// When it is to be looked at.
    pub due_at: Option<Timestamp>,
    /// The first entries of its log.
    pub log: Vec<NewScheduleLogEntry>,
}

/// What became of a schedule to be kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScheduleCreated {
    /// It is there.
    Created,
    /// Another one has its id.
    IdTaken,
}

/// A schedule as it is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScheduleRecord {
    /// Its id.
    pub id: String,
    /// What tells it from others that had its id before.
    pub token: Uuid,
    /// How often it was written.
    pub version: i64,
    /// How often what it says was changed.
    pub revision: i64,
    /// The workflow that it starts.
    pub workflow: String,
    /// The encoded arguments.
    pub arguments: Payload,
    /// What it says, as JSON.
    pub config: String,
    /// How far it has come, as JSON.
    pub state: String,
    /// When it is to be looked at; `None` is never.
    pub due_at: Option<Timestamp>,
    /// When it was created, by the database's clock.
    pub created_at: Timestamp,
}

/// Which due schedules are wanted.
#[derive(Clone, Copy, Debug)]
pub struct ClaimSchedules<'a> {
    /// Those that start one of these workflows.
    pub workflows: &'a [&'a str],
    /// How many at most.
    pub limit: u32,
    /// After what time they are due again.
    pub hold: Duration,
}

/// What a claim gave.
#[derive(Clone, Debug, Default)]
pub struct ClaimedSchedules {
    /// The schedules.
    pub schedules: Vec<ScheduleRecord>,
    /// When the next of these workflows' schedules is due, those given apart.
    pub next_due_at: Option<Timestamp>,
    /// The database's clock at the claim.
    pub now: Timestamp,
}

/// What a schedule has come to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SaveSchedule {
    /// Its id.
    pub id: String,
    /// Its token.
    pub token: Uuid,
    /// Its version when it was read.
    pub version: i64,
    /// How far it has come, as JSON.
    pub state: String,
    /// When it is to be looked at.
    pub due_at: Option<Timestamp>,
    /// What it says from now on, if that is changed.
    pub change: Option<ScheduleChange>,
    /// What is to be added to its log.
    pub log: Vec<NewScheduleLogEntry>,
}

/// What a schedule says from now on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScheduleChange {
    /// The workflow that it starts.
    pub workflow: String,
    /// The encoded arguments.
    pub arguments: Payload,
    /// What it says, as JSON.
    pub config: String,
}

/// Something that a schedule has done, or that was done to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewScheduleLogEntry {
    /// What, in one word.
    pub kind: String,
    /// The nominal time that it is about.
    pub nominal_at: Option<Timestamp>,
    /// The run that it is about.
    pub run_id: Option<RunId>,
    /// What else is to be known of it, as JSON.
    pub details: Option<String>,
}

/// An entry in the log of a schedule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScheduleLogEntry {
    /// Its number in the log of the schedule, from 1.
    pub seq: i64,
    /// When it was written, by the database's clock.
    pub at: Timestamp,
    /// What it says.
    pub entry: NewScheduleLogEntry,
}
