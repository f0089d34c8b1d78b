//! How a run ends, and the run that follows it.

use tracing::warn;

use crate::engine::backoff::Backoff;
use crate::engine::evolution::learn_schemas_of;
use crate::engine::first_state::first_state;
use crate::engine::follow::{self, Over};
use crate::engine::recorded::record_call;
use crate::engine::retry;
use crate::engine::session::Session;
use crate::error::with_causes;
use crate::machine::{NextRun, RunInfo};
use crate::model::{BlockedReason, Handle, Link, Payload, RunId, RunStatus, Terms};
use crate::store::{Disposition, Successor};

/// How the code of a run has ended.
pub(super) struct Closing {
    pub(super) status: RunStatus,
    pub(super) result: Option<Payload>,
    pub(super) failure: Option<String>,
    /// What it continues as.
    pub(super) next: Option<Box<NextRun>>,
}

/// Closes a run, with the run that follows it: the one that it continues as, or the one that its terms ask for.
///
/// # Errors
/// Why the first state of the next run cannot be made.
pub(super) async fn follow(
    session: &Session,
    run: &RunInfo,
    workflow: &str,
    terms: Option<&Terms>,
    closing: Closing,
) -> Result<Disposition, BlockedReason> {
    let Closing { mut status, result, failure, next } = closing;
    let now = session.clock.on_database(session.clock.now());
    let mut successor = None;
    if let Some(next) = next {
        let mut continued = continued(session, run, *next).await?;
        continued.run.terms = terms.map(|terms| Box::new(terms.clone().continued(now)));
        successor = Some(continued);
    } else if let Some(terms) = terms {
        status = terms.status_of(status, failure.as_deref());
        let draw = retry::draw(run.run_id, Handle(0), terms.attempt);
        let over = Over { status, result: result.as_ref() };
        let next = follow::next(terms, &over, now, draw).map_err(BlockedReason::Invalid)?;
        if let Some(next) = next {
            let Some(arguments) = arguments_of(session, run.run_id).await else {
                let reason =
                    "its arguments, with which it is to run again, are not in the database";
                return Err(BlockedReason::Invalid(reason.to_owned()));
            };
            let workflow_id = run.workflow_id.clone();
            successor = Some(follow::make(session, workflow_id, workflow, arguments, next).await?);
        }
    }
    Ok(Disposition::Close { status, result, failure, successor })
}

const UNREADABLE: &str = "the terms of a run could not be read yet";

/// The terms of a run that has some. Asks until the database answers.
pub(super) async fn terms_of(session: &Session, run_id: RunId) -> Option<Box<Terms>> {
    let mut backoff = Backoff::default();
    loop {
        match session.store.find_terms(run_id).await {
            Ok(None) => return None,
            Ok(Some(terms)) => {
                let learned = learn_schemas_of(&*session.store, terms.last_result.iter()).await;
                match learned {
                    Ok(()) => return Some(Box::new(terms)),
                    Err(error) => warn!(error = %with_causes(&error), "{UNREADABLE}"),
                }
            }
            Err(error) => {
                warn!(error = %with_causes(&error), "the terms of a run could not be read yet")
            }
        }
        backoff.wait().await;
    }
}

/// What a run was started with. Asks until the database answers.
async fn arguments_of(session: &Session, run_id: RunId) -> Option<Payload> {
    let mut backoff = Backoff::default();
    loop {
        match session.store.find_details(run_id).await {
            Ok(details) => return details.and_then(|details| details.arguments),
            Err(error) => {
                warn!(error = %with_causes(&error), "the arguments of a run could not be read yet");
            }
        }
        backoff.wait().await;
    }
}

/// The run that `run` continues as, with what it is written by recorded.
async fn continued(
    session: &Session,
    run: &RunInfo,
    next: NextRun,
) -> Result<Box<Successor>, BlockedReason> {
    let NextRun { workflow, entry, arguments } = next;
    record_call(session, entry, &arguments).await;
    let run_id = session.store.new_run_id();
    let run = RunInfo { run_id, workflow_id: run.workflow_id.clone() };
    let run = first_state(entry, workflow, run, arguments);
    let run = run.map_err(|error| BlockedReason::Invalid(error.to_string()))?;
    Ok(Box::new(Successor { run, link: Link::Continued }))
}
