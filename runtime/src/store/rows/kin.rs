//! Chains, children, and waits for children.

use sqlx::FromRow;
use uuid::Uuid;

use super::read_status;
use crate::error::StoreError;
use crate::model::{ChildEnd, Link, ParentClose, RunId, Timestamp};
use crate::store::ends::key;
use crate::store::{ActivityKey, ChainEntry, ChildRecord, Kin, LastRun};

/// The first run of the chain of a run.
macro_rules! first_of {
    ($run:literal) => {
        concat!(
            "coalesce((SELECT first_run_id FROM piton_chains AS link WHERE link.run_id = ",
            $run,
            "), ",
            $run,
            ")"
        )
    };
}
pub(crate) use first_of;

/// The latest run of a chain.
macro_rules! last_of {
    ($first:literal) => {
        concat!(
            "coalesce((SELECT run_id FROM piton_chains AS link WHERE link.first_run_id = ",
            $first,
            " ORDER BY place DESC LIMIT 1), ",
            $first,
            ")"
        )
    };
}
pub(crate) use last_of;

/// A wait for a child that has closed, with the size of the child's result.
#[derive(FromRow)]
pub(crate) struct ChildWaitRow {
    /// The last run of the child's chain.
    closed: Uuid,
    child_id: Uuid,
    run_id: Uuid,
    handle: i64,
    bytes: i64,
}

/// See [`ChildWaitRow`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct ChildWait {
    pub(crate) closed: RunId,
    pub(crate) child: RunId,
    /// The waiting run and its operation.
    pub(crate) waiting: ActivityKey,
    pub(crate) bytes: usize,
}

impl From<ChildWaitRow> for ChildWait {
    fn from(row: ChildWaitRow) -> Self {
        Self {
            closed: row.closed.into(),
            child: row.child_id.into(),
            waiting: key(row.run_id, row.handle),
            bytes: usize::try_from(row.bytes).unwrap_or(usize::MAX),
        }
    }
}

/// A child whose parent has closed, with the latest run of its chain.
#[derive(FromRow)]
pub(crate) struct AttachedRow {
    child_id: Uuid,
    parent_run_id: Uuid,
    on_parent_close: String,
    last: Uuid,
}

/// See [`AttachedRow`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct AttachedChild {
    pub(crate) child: RunId,
    pub(crate) parent: RunId,
    pub(crate) policy: ParentClose,
    pub(crate) last: RunId,
}

impl TryFrom<AttachedRow> for AttachedChild {
    type Error = StoreError;

    fn try_from(row: AttachedRow) -> Result<Self, StoreError> {
        Ok(Self {
            child: row.child_id.into(),
            parent: row.parent_run_id.into(),
            policy: read_policy(&row.on_parent_close)?,
            last: row.last.into(),
        })
    }
}

/// The end of a child.
#[derive(FromRow)]
pub(crate) struct EndRow {
    closed: Uuid,
    status: Option<String>,
    result: Option<Vec<u8>>,
    failure: Option<String>,
    taken_by: Option<Uuid>,
}

impl EndRow {
    pub(crate) fn into_end(self) -> Result<(RunId, ChildEnd), StoreError> {
        let end = match (self.status, self.taken_by) {
            (Some(status), _) => ChildEnd::Closed {
                status: read_status(&status)?,
                result: self.result.map(crate::model::Payload),
                failure: self.failure,
            },
            (None, Some(run_id)) => ChildEnd::IdTaken { run_id: run_id.into() },
            (None, None) => ChildEnd::Unknown,
        };
        Ok((self.closed.into(), end))
    }
}

/// The columns of [`Kin`], selected under these names.
#[derive(FromRow)]
pub(crate) struct KinRow {
    first_run_id: Uuid,
    previous_run_id: Option<Uuid>,
    link: Option<String>,
    next_run_id: Option<Uuid>,
    parent_run_id: Option<Uuid>,
    on_parent_close: Option<String>,
    ends_with_run: Option<bool>,
    child_count: i64,
}

impl TryFrom<KinRow> for Kin {
    type Error = StoreError;

    fn try_from(row: KinRow) -> Result<Self, StoreError> {
        let policy = row.on_parent_close.as_deref().map(read_policy).transpose()?;
        Ok(Self {
            first_run_id: row.first_run_id.into(),
            previous_run_id: row.previous_run_id.map(RunId::from),
            link: row.link.as_deref().map(read_link).transpose()?,
            next_run_id: row.next_run_id.map(RunId::from),
            parent: row.parent_run_id.map(RunId::from).zip(policy),
            ends_with_run: row.ends_with_run.unwrap_or_default(),
            child_count: row.child_count.unsigned_abs(),
        })
    }
}

/// The columns of [`ChainEntry`], selected under these names.
#[derive(FromRow)]
pub(crate) struct ChainRow {
    run_id: Uuid,
    workflow: String,
    place: i64,
    link: Option<String>,
    status: String,
    started_at: i64,
    closed_at: Option<i64>,
}

impl TryFrom<ChainRow> for ChainEntry {
    type Error = StoreError;

    fn try_from(row: ChainRow) -> Result<Self, StoreError> {
        Ok(Self {
            run_id: row.run_id.into(),
            workflow: row.workflow,
            place: row.place.unsigned_abs(),
            link: row.link.as_deref().map(read_link).transpose()?,
            status: read_status(&row.status)?,
            started_at: Timestamp(row.started_at),
            closed_at: row.closed_at.map(Timestamp),
        })
    }
}

/// The columns of [`LastRun`], selected under these names; all null if there is no run.
#[derive(FromRow)]
pub(crate) struct LastRunRow {
    run_id: Option<Uuid>,
    status: Option<String>,
    closed_at: Option<i64>,
}

impl LastRunRow {
    pub(crate) fn into_found(self) -> Result<Option<LastRun>, StoreError> {
        let Some((run_id, status)) = self.run_id.zip(self.status) else { return Ok(None) };
        let (status, closed_at) = (read_status(&status)?, self.closed_at.map(Timestamp));
        Ok(Some(LastRun { run_id: run_id.into(), status, closed_at }))
    }
}

/// The columns of [`ChildRecord`], selected under these names.
#[derive(FromRow)]
pub(crate) struct ChildRow {
    child_id: Uuid,
    workflow_id: String,
    parent_run_id: Uuid,
    on_parent_close: String,
    ends_with_run: bool,
    run_id: Option<Uuid>,
    status: Option<String>,
}

impl TryFrom<ChildRow> for ChildRecord {
    type Error = StoreError;

    fn try_from(row: ChildRow) -> Result<Self, StoreError> {
        Ok(Self {
            child: row.child_id.into(),
            workflow_id: row.workflow_id,
            parent: row.parent_run_id.into(),
            on_parent_close: read_policy(&row.on_parent_close)?,
            ends_with_run: row.ends_with_run,
            run_id: row.run_id.map(RunId::from),
            status: row.status.as_deref().map(read_status).transpose()?,
        })
    }
}

fn read_policy(word: &str) -> Result<ParentClose, StoreError> {
    ParentClose::parse(word).ok_or_else(|| StoreError::Corrupt {
        what: "child",
        reason: format!("`{word}` is not a policy"),
    })
}

fn read_link(word: &str) -> Result<Link, StoreError> {
    Link::parse(word).ok_or_else(|| StoreError::Corrupt {
        what: "chain",
        reason: format!("`{word}` is not a link"),
    })
}
