//! How a run closes, and its successor.

use crate::engine::backoff::until_answered;
use crate::engine::evolution::learn_schemas_of;
use crate::engine::first_state::first_state_owing;
use crate::engine::follow::{self, Over};
use crate::engine::recorded::record_call;
use crate::engine::retry;
use crate::engine::session::Session;
use crate::error::StoreError;
use crate::machine::{NextRun, RunInfo};
use crate::model::{BlockedReason, Handle, Link, Payload, RunId, RunStatus, Terms};
use crate::store::Successor;

/// The end of a run's code.
pub(super) struct Closing {
    pub(super) status: RunStatus,
    pub(super) result: Option<Payload>,
    pub(super) failure: Option<String>,
    /// The run that it continues as.
    pub(super) next: Option<Box<NextRun>>,
}

/// The successor of a run that closes: the run that it continues as, or the one that its terms ask for. Sets the
/// status in `closing` if the run has timed out.
///
/// # Errors
/// Why the first state of the successor cannot be made.
pub(super) async fn follow(
    session: &Session,
    run: &RunInfo,
    workflow: &str,
    terms: Option<&Terms>,
    closing: &mut Closing,
) -> Result<Option<Box<Successor>>, BlockedReason> {
    let continued = match closing.next.take() {
        Some(next) => Some(continued(session, run, *next).await?),
        None => None,
    };
    let Some(terms) = terms else { return Ok(continued) };
    // Its deadlines may have moved since the run was claimed.
    let moved = match terms.goes_by_attendance() {
        true => terms_of(session, run.run_id).await?,
        false => None,
    };
    let terms = moved.as_ref().unwrap_or(terms);
    let now = session.clock.on_database(session.clock.now());
    if let Some(mut continued) = continued {
        continued.run.terms = Some(Box::new(terms.clone().continued(now)));
        return Ok(Some(continued));
    }
    closing.status = terms.status_of(closing.status, closing.failure.as_deref());
    let over = Over { status: closing.status, result: closing.result.as_ref() };
    let draw = retry::draw(run.run_id, Handle(0), terms.attempt);
    let next = follow::next(terms, &over, now, draw).map_err(BlockedReason::Invalid)?;
    let Some(next) = next else { return Ok(None) };
    let Some(arguments) = arguments_of(session, run.run_id).await else {
        let reason = "its arguments, which the next run needs, are not in the database";
        return Err(BlockedReason::Invalid(reason.to_owned()));
    };
    let workflow_id = run.workflow_id.clone();
    follow::make(session, workflow_id, workflow, arguments, next).await.map(Some)
}

/// A log message while the database does not answer.
const UNREAD: &str = "the terms of a run could not be read yet";

/// The terms of a run, with the schemas of their values loaded. `None` if it has none.
///
/// # Errors
/// Why they cannot be read, however often it is tried.
pub(super) async fn terms_of(
    session: &Session,
    run_id: RunId,
) -> Result<Option<Terms>, BlockedReason> {
    let store = &*session.store;
    let terms = until_answered(UNREAD, async || {
        let terms = match store.find_terms(run_id).await {
            Err(error @ StoreError::Corrupt { .. }) => {
                return Ok(Err(BlockedReason::Undecodable(error.to_string())));
            }
            terms => terms?,
        };
        let last_result = terms.iter().filter_map(|terms| terms.last_result.as_ref());
        learn_schemas_of(store, last_result).await?;
        Ok(Ok(terms))
    });
    terms.await
}

/// The arguments of a run.
async fn arguments_of(session: &Session, run_id: RunId) -> Option<Payload> {
    let details = until_answered(UNREAD, || session.store.find_details(run_id)).await;
    details.and_then(|details| details.arguments)
}

/// The run that `run` continues as, with its definition and schemas recorded.
async fn continued(
    session: &Session,
    run: &RunInfo,
    next: NextRun,
) -> Result<Box<Successor>, BlockedReason> {
    let NextRun { workflow, entry, arguments, answers } = next;
    record_call(session, entry, &arguments).await;
    let run_id = session.store.new_run_id();
    let run = RunInfo { run_id, workflow_id: run.workflow_id.clone() };
    let run = first_state_owing(entry, workflow, run, arguments, answers);
    let run = run.map_err(|error| BlockedReason::Invalid(error.to_string()))?;
    Ok(Box::new(Successor { run, link: Link::Continued }))
}
