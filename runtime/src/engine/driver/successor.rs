//! How a run closes, and the run that follows it in its chain.

use std::sync::Arc;

use super::Driver;
use crate::engine::chain::NextOfChain;
use crate::engine::evolution::learn_schemas_of;
use crate::engine::terms::{retry_at, until_answered};
use crate::machine::NextRun;
use crate::model::{BlockedReason, Link, Payload, RunStatus, Terms, Timestamp};
use crate::store::Successor;

impl Driver {
    /// The status with which the run closes, and what follows it.
    ///
    /// # Errors
    /// Why what follows cannot be begun.
    pub(super) async fn close(
        &mut self,
        status: RunStatus,
        result: Option<&Payload>,
        failure: Option<&str>,
        next: Option<Box<NextRun>>,
    ) -> Result<(RunStatus, Option<Box<Successor>>), BlockedReason> {
        let (session, run) = (Arc::clone(&self.hold.session), self.run.clone());
        let run_id = run.run_id;
        let terms = match self.has_terms {
            true => until_answered(run_id, || session.store.find_terms(run_id)).await,
            false => None,
        };
        let now = session.clock.on_database(session.clock.now());
        let next = match (next, terms) {
            (Some(next), terms) => {
                let terms = terms.map(|terms| terms.continued(now));
                NextOfChain { next: *next, link: Link::Continued, due_at: None, terms }
            }
            (None, None) => return Ok((status, None)),
            (None, Some(terms)) => {
                let status = terms.status_of(status, failure);
                let Some(due_at) = retry_at(&terms, run_id, status, result, now) else {
                    return Ok((status, None));
                };
                let next = self.again(terms, due_at).await?;
                return Ok((status, Some(next.begin(&session, &run).await?)));
            }
        };
        Ok((status, Some(next.begin(&session, &run).await?)))
    }

    /// The same call, by the newest code of the workflow.
    async fn again(&mut self, terms: Terms, due_at: Timestamp) -> Result<NextOfChain, BlockedReason> {
        let (session, run_id) = (Arc::clone(&self.hold.session), self.run.run_id);
        let details = until_answered(run_id, || session.store.find_details(run_id)).await;
        let arguments = details.and_then(|details| details.arguments).ok_or_else(|| {
            let reason = "the run is to be retried, and its arguments are gone".to_owned();
            BlockedReason::Invalid(reason)
        })?;
        let learn = || learn_schemas_of(&*session.store, std::iter::once(&arguments));
        until_answered(run_id, learn).await;
        let own = self.machine.entry();
        let entry = session.host.registry.workflow(own.name).unwrap_or(own);
        let next = NextRun { workflow: entry.name, entry, arguments };
        let (due_at, terms) = (Some(due_at), Some(terms.retried(due_at)));
        Ok(NextOfChain { next, link: Link::Retry, due_at, terms })
    }
}
