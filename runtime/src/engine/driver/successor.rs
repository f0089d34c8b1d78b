//! How a run ends, and the run that follows it.

use tracing::warn;

use crate::engine::backoff::Backoff;
use crate::engine::first_state::first_state;
use crate::engine::follow::{self, Over};
use crate::engine::recorded::record_call;
use crate::engine::retry;
use crate::engine::session::Session;
use crate::error::with_causes;
use crate::machine::{NextRun, RunInfo};
use crate::model::{BlockedReason, Handle, Link, Payload, RunId, RunStatus, Terms};
use crate::store::Successor;

/// How the code of a run has ended.
pub(super) struct CodeEnd<'a> {
    pub(super) status: RunStatus,
    pub(super) result: Option<&'a Payload>,
    pub(super) failure: Option<&'a str>,
    /// What it continues as.
    pub(super) next: Option<Box<NextRun>>,
}

/// As what a run closes, and the run that follows it: the one that it continues as, or the one that its terms ask for.
///
/// # Errors
/// Why the first state of the next run cannot be made.
pub(super) async fn follow(
    session: &Session,
    run: &RunInfo,
    workflow: &str,
    terms: Option<&Terms>,
    end: CodeEnd<'_>,
) -> Result<(RunStatus, Option<Box<Successor>>), BlockedReason> {
    let CodeEnd { status, result, failure, next } = end;
    let Some(terms) = terms else {
        let Some(next) = next else { return Ok((status, None)) };
        return Ok((status, Some(continued(session, run, *next).await?)));
    };
    let now = session.clock.on_database(session.clock.now());
    if let Some(next) = next {
        let mut successor = continued(session, run, *next).await?;
        successor.run.terms = Some(Box::new(terms.clone().continued(now)));
        return Ok((status, Some(successor)));
    }
    let status = terms.status_of(status, failure);
    let draw = retry::draw(run.run_id, Handle(0), terms.attempt);
    let next = follow::next(terms, &Over { status, result }, now, draw);
    let Some(next) = next.map_err(BlockedReason::Invalid)? else { return Ok((status, None)) };
    let Some(arguments) = arguments_of(session, run.run_id).await else {
        let reason = "its arguments, with which it is to run again, are not in the database";
        return Err(BlockedReason::Invalid(reason.to_owned()));
    };
    let workflow_id = run.workflow_id.clone();
    let successor = follow::make(session, workflow_id, workflow, arguments, next).await?;
    Ok((status, Some(successor)))
}

/// The terms of a run that has some. Asks until the database answers.
pub(super) async fn terms_of(session: &Session, run_id: RunId) -> Option<Box<Terms>> {
    let mut backoff = Backoff::default();
    loop {
        match session.store.find_terms(run_id).await {
            Ok(terms) => return terms.map(Box::new),
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
