//! Watching the changes of a run.

use std::time::Duration;

use serde_json::{Map, Value as Json};
use tokio::time::timeout;

use super::Client;
use crate::engine::backoff::patiently;
use crate::error::{LookupError, QueryError};
use crate::model::{RunId, RunStatus, StepNo};
use crate::store::{RunKey, RunRecord, RunWatch};

/// How often a watch polls the database at first without a notification. The interval doubles while nothing
/// changes.
const FIRST_POLL: Duration = Duration::from_millis(50);
/// The longest interval.
const LAST_POLL: Duration = Duration::from_secs(1);

/// A run at the moment of a [`Watch::next`].
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Watched {
    /// The run, as stored: its status, its state and so on.
    pub run: RunRecord,
    /// Its exposed variables. Variables that cannot be read are `null`.
    pub variables: Map<String, Json>,
}

/// Follows the changes of one run; created by [`Client::watch`].
#[derive(Debug)]
pub struct Watch {
    client: Client,
    run_id: RunId,
    news: RunWatch,
    /// The last returned values; `None` before the first call.
    seen: Option<Seen>,
}

#[derive(Debug, PartialEq)]
struct Seen {
    status: RunStatus,
    step_no: StepNo,
    state: String,
    variables: Map<String, Json>,
}

impl Client {
    /// Watches a run. A workflow id names the run that has it now; that run is watched until it closes.
    ///
    /// ```no_run
    /// # async fn demo(client: piton::client::Client) -> Result<(), Box<dyn std::error::Error>> {
    /// let mut watch = client.watch("order-42").await?;
    /// while let Some(seen) = watch.next().await? {
    ///     println!("{}: {}", seen.run.state, serde_json::to_string(&seen.variables)?);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`LookupError::Unknown`] if there is no such run, [`LookupError::Store`] if the database
    /// [is away](Client#when-the-database-is-away) for too long.
    pub async fn watch(&self, run: impl Into<RunKey>) -> Result<Watch, LookupError> {
        let run_id = self.run_id_of(run.into()).await?;
        let news = self.store().hub().watch_run(run_id);
        Ok(Watch { client: self.clone(), run_id, news, seen: None })
    }
}

impl Watch {
    /// The run.
    pub fn run_id(&self) -> RunId {
        self.run_id
    }

    /// Waits until the state, the status or an exposed variable of the run differs from the last returned values,
    /// and returns the run. The first call returns at once. After the run was returned as closed, returns `None`.
    /// Several changes in a short time may be returned as one, but the last is never skipped.
    ///
    /// Changes by this process are seen at once, and those by other processes within a second. Cancellation safe:
    /// what a dropped call would have returned, the next call returns.
    ///
    /// # Errors
    /// [`QueryError::Lookup`] if the run was deleted or the database [is away](Client#when-the-database-is-away)
    /// for too long, [`QueryError::Unreadable`] if the saved state cannot be read. May be called again after an
    /// error.
    pub async fn next(&mut self) -> Result<Option<Watched>, QueryError> {
        if self.seen.as_ref().is_some_and(|seen| !seen.status.is_open()) {
            return Ok(None);
        }
        let mut poll = FIRST_POLL;
        loop {
            if let Some(watched) = self.look().await? {
                return Ok(Some(watched));
            }
            let _ = timeout(poll, self.news.changed()).await;
            poll = (2 * poll).min(LAST_POLL);
        }
    }

    /// The run, if it has changed.
    async fn look(&mut self) -> Result<Option<Watched>, QueryError> {
        let store = self.client.store();
        let unknown = || LookupError::Unknown(RunKey::RunId(self.run_id));
        if let Some(seen) = &self.seen {
            let run = self.client.find(self.run_id).await.map_err(LookupError::from)?;
            let run = run.ok_or_else(unknown)?;
            if (run.step_no, run.status) == (seen.step_no, seen.status) {
                return Ok(None);
            }
        }
        // The row and the state, read at one moment.
        let details = patiently(|| store.find_details(self.run_id)).await?;
        let details = details.ok_or_else(unknown)?;
        let variables = self.client.exposed_in(self.run_id, &details.snapshot).await?.to_json();
        let run = details.run;
        let now = Seen {
            status: run.status,
            step_no: run.step_no,
            state: run.state.clone(),
            variables: variables.clone(),
        };
        let has_changed = self.seen.as_ref().is_none_or(|seen| {
            (seen.status, &seen.state, &seen.variables) != (now.status, &now.state, &now.variables)
        });
        self.seen = Some(now);
        Ok(has_changed.then_some(Watched { run, variables }))
    }
}
