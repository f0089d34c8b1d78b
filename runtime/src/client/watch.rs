//! Watching the changes of a run.

use std::time::Duration;

use serde_json::{Map, Value as Json};
use tokio::time::timeout;

use super::Client;
use crate::engine::backoff::patiently;
use crate::error::{LookupError, QueryError};
use crate::model::{RunId, RunStatus, StepNo};
use crate::store::{RunKey, RunRecord, RunWatch};

/// How often a watch looks into the database at first, when there is no news. The waits double while nothing changes.
const FIRST_POLL: Duration = Duration::from_millis(50);
/// How often at last.
const LAST_POLL: Duration = Duration::from_secs(1);

/// A run as a [`Watch`] has found it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Watched {
    /// What is known of it: its status, its state and so on.
    pub run: RunRecord,
    /// Its exposed variables. Of one that cannot be read, `null`.
    pub variables: Map<String, Json>,
}

/// Follows one run: made by [`Client::watch`].
#[derive(Debug)]
pub struct Watch {
    client: Client,
    run_id: RunId,
    news: RunWatch,
    /// What was seen last; nothing before the first look.
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
    /// Watches a run. A workflow id names the run that has it now, and that run is watched to its end.
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

    /// Waits until the state, the status or an exposed variable of the run is another than this has given before, and
    /// gives the run as it is then. The first call returns at once, and once the run was given as closed, there is
    /// nothing more. What changes twice in a short time may be given once: the last is always given.
    ///
    /// What this process commits is heard of at once; what others do, within a second. Cancellation safe: what a
    /// dropped call would have given, the next one gives.
    ///
    /// # Errors
    /// [`QueryError::Lookup`] if the run is gone or the database [is away](Client#when-the-database-is-away) for too
    /// long, [`QueryError::Unreadable`] if what is saved cannot be read; it may be called again.
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
        // The row and the state as they were at one moment.
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
