//! Successors by terms: retries of a run, and runs of its cron expression.

use std::sync::Arc;

use super::backoff::until_answered;
use super::evolution::learn_schemas_of;
use super::first_state::{check_start, first_state};
use super::recorded::record_call;
use super::session::Session;
use crate::codec;
use crate::machine::RunInfo;
use crate::model::{BlockedReason, Link, Payload, RunStatus, Terms, Timestamp, recorded};
use crate::store::Successor;

/// How a run ended.
pub(crate) struct Over<'a> {
    /// The status it closes with.
    pub(crate) status: RunStatus,
    /// Its return value, which may be an error.
    pub(crate) result: Option<&'a Payload>,
}

/// The successor to start.
pub(crate) struct Next {
    link: Link,
    terms: Terms,
    due_at: Timestamp,
}

/// The successor of a run that ends `now`. `draw` is from 0 to 1, for the jitter of the wait.
///
/// # Errors
/// Why the successor cannot be determined, for people.
pub(crate) fn next(
    terms: &Terms,
    over: &Over<'_>,
    now: Timestamp,
    draw: f64,
) -> Result<Option<Next>, String> {
    let error = match over.status {
        RunStatus::Failed => over.result.and_then(name_of_error),
        _ => None,
    };
    if let Some((terms, due_at)) = terms.retried(over.status, error.as_deref(), now, draw) {
        return Ok(Some(Next { link: Link::Retry, terms, due_at }));
    }
    let Some(cron) = terms.cron.as_ref().filter(|cron| cron.goes_on_after(over.status)) else {
        return Ok(None);
    };
    // A run may close before its time: it was cancelled, or this worker's clock is behind that of the database.
    let after = terms.due_at.map_or(now, |due_at| due_at.max(now));
    let due_at = cron.next_after(after)?;
    let next = due_at.and_then(|due_at| terms.again(over.status, over.result, due_at));
    Ok(next.map(|(terms, due_at)| Next { link: Link::Cron, terms, due_at }))
}

/// The variant name of a returned error; of a text, the text.
fn name_of_error(returned: &Payload) -> Option<String> {
    let mut error = codec::payload_to_json(returned).ok()?;
    if let Some(inner) = error.get_mut("Err") {
        error = inner.take();
    }
    match error {
        serde_json::Value::String(name) => Some(name),
        serde_json::Value::Object(variant) if variant.len() == 1 => {
            variant.into_iter().next().map(|(name, _)| name)
        }
        _ => None,
    }
}

/// The successor as a new run, in the newest version of its workflow.
///
/// # Errors
/// Why its first state cannot be made.
pub(crate) async fn make(
    session: &Session,
    workflow_id: Arc<str>,
    workflow: &str,
    arguments: Payload,
    next: Next,
) -> Result<Box<Successor>, BlockedReason> {
    let Some(entry) = session.host.registry.versions(workflow).first() else {
        return Err(BlockedReason::Undecodable(format!("there is no workflow `{workflow}`")));
    };
    let learn = || learn_schemas_of(&*session.store, std::iter::once(&arguments));
    until_answered("what wrote the arguments could not be read yet", learn).await;
    check_start(entry, &arguments).map_err(|unfit| {
        let reason = format!("the next run of its chain cannot be started: {unfit}");
        BlockedReason::Undecodable(recorded(reason))
    })?;
    record_call(session, entry, &arguments).await;
    let run = RunInfo { run_id: session.store.new_run_id(), workflow_id };
    let run = first_state(entry, workflow, run, arguments);
    let mut run = run.map_err(|error| BlockedReason::Invalid(error.to_string()))?;
    run.start_at = Some(next.due_at);
    run.terms = Some(Box::new(next.terms));
    Ok(Box::new(Successor { run, link: next.link }))
}
