//! The relations of a run: the runs of its chain, its parent and its children.

use std::sync::Arc;

use super::Client;
use crate::engine::backoff::patiently;
use crate::error::{LookupError, RunError};
use crate::machine::Never;
use crate::model::{Link, RunId, RunStatus};
use crate::store::{ChainEntry, ChildRecord, Kin, RunKey, RunRecord};

/// The number of runs to read at a time.
const PAGE: u32 = 200;

/// The run that has the result of a run with this ending: the one it continues as, or the next attempt. A run that
/// cron has started has a result of its own.
///
/// # Errors
/// [`RunError::Store`], and [`RunError::Unknown`] if the next run no longer exists.
pub(super) async fn goes_on_as(
    client: &Client,
    run_id: RunId,
    status: RunStatus,
) -> Result<Option<RunId>, RunError<Never>> {
    let may_go_on =
        matches!(status, RunStatus::ContinuedAsNew | RunStatus::Failed | RunStatus::TimedOut);
    if !may_go_on {
        return Ok(None);
    }
    let kin = async |run_id| {
        let kin = patiently(|| client.store().find_kin(run_id)).await;
        kin.map_err(|error| RunError::Store(Arc::new(error)))
    };
    let next = kin(run_id).await?.and_then(|kin| kin.next_run_id);
    match (status, next) {
        (RunStatus::ContinuedAsNew, None) => Err(RunError::Unknown { run_id }),
        (RunStatus::ContinuedAsNew, _) | (_, None) => Ok(next),
        (_, Some(next)) => {
            let link = kin(next).await?.and_then(|kin| kin.link);
            Ok((link == Some(Link::Retry)).then_some(next))
        }
    }
}

/// Whether the run, or the first run of its chain, is of a workflow with such a name. The workflow may have continued as
/// another one, which returns the same type.
///
/// # Errors
/// See [`Client::kin`].
pub(super) async fn belongs_to(
    client: &Client,
    run: &RunRecord,
    is_name: impl Fn(&str) -> bool,
) -> Result<bool, LookupError> {
    if is_name(&run.workflow) {
        return Ok(true);
    }
    let first = client.kin(run.run_id).await?.first_run_id;
    Ok(client.find(first).await?.is_some_and(|first| is_name(&first.workflow)))
}

impl Client {
    /// The relations of a run: its chain, its parent, and the number of children of the chain. A workflow id names
    /// the open run that has it, or else the one started last.
    ///
    /// # Errors
    /// [`LookupError::Unknown`] if there is no such run, [`LookupError::Store`] if the database
    /// [is away](Client#when-the-database-is-away) for too long.
    pub async fn kin(&self, key: impl Into<RunKey>) -> Result<Kin, LookupError> {
        let key = key.into();
        let run_id = match &key {
            RunKey::RunId(run_id) => *run_id,
            RunKey::WorkflowId(_) => match self.find(key.clone()).await? {
                Some(run) => run.run_id,
                None => return Err(LookupError::Unknown(key)),
            },
        };
        let kin = patiently(|| self.store().find_kin(run_id)).await?;
        kin.ok_or(LookupError::Unknown(key))
    }

    /// The runs of a run's chain, in order: runs of one workflow id that follow each other. At least the run
    /// itself.
    ///
    /// # Errors
    /// See [`Client::kin`].
    pub async fn chain(&self, key: impl Into<RunKey>) -> Result<Vec<ChainEntry>, LookupError> {
        let first = self.kin(key).await?.first_run_id;
        let mut runs: Vec<ChainEntry> = Vec::new();
        loop {
            let after = runs.last().map(|run| run.place);
            let page = patiently(|| self.store().list_chain(first, after, PAGE)).await?;
            let is_last = page.len() < PAGE as usize;
            runs.extend(page);
            if is_last {
                return Ok(runs);
            }
        }
    }

    /// The children started by the runs of a run's chain, ordered by id, at most `limit`. Children whose start is
    /// still in the outbox are not included.
    ///
    /// # Errors
    /// See [`Client::kin`].
    pub async fn children(
        &self,
        key: impl Into<RunKey>,
        limit: u32,
    ) -> Result<Vec<ChildRecord>, LookupError> {
        let first = self.kin(key).await?.first_run_id;
        Ok(patiently(|| self.store().list_children(first, None, limit)).await?)
    }
}
