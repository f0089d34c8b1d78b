//! Runs that are begun in the place of one that closes.

use super::driver::record_call;
use super::first_state::first_state;
use super::session::Session;
use crate::machine::{NextRun, RunInfo};
use crate::model::{BlockedReason, Link, Terms, Timestamp};
use crate::store::Successor;

/// What is to be begun.
pub(crate) struct NextOfChain {
    /// The call.
    pub(crate) next: NextRun,
    /// Why it follows.
    pub(crate) link: Link,
    /// When it is due. Default: at once.
    pub(crate) due_at: Option<Timestamp>,
    /// Its terms.
    pub(crate) terms: Option<Terms>,
}

impl NextOfChain {
    /// The run that follows `run`, with what it is written by recorded.
    ///
    /// # Errors
    /// Why its first state cannot be made.
    pub(crate) async fn begin(
        self,
        session: &Session,
        run: &RunInfo,
    ) -> Result<Box<Successor>, BlockedReason> {
        let Self { next: NextRun { workflow, entry, arguments }, link, due_at, terms } = self;
        record_call(session, entry, &arguments).await;
        let run_id = session.store.new_run_id();
        let run = RunInfo { run_id, workflow_id: run.workflow_id.clone() };
        let run = first_state(entry, workflow, run, arguments);
        let mut run = run.map_err(|error| BlockedReason::Invalid(error.to_string()))?;
        (run.start_at, run.terms) = (due_at, terms.map(Box::new));
        Ok(Box::new(Successor { run, link }))
    }
}
