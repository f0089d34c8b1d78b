//! Validators: users' functions that check an update before it is sent, declared with `#[validator]`.

use super::Exposed;
use crate::codec;
use crate::error::QueryError;
use crate::generated::registration::Registrations;
use crate::machine::{Update, Workflow, WorkflowEntry};
use crate::model::Payload;

/// The result of a validator: `None`, or the encoded error with which it refuses the update.
type Verdict = Result<Option<Payload>, QueryError>;

/// A validator in the registry, created by `#[validator]`.
#[doc(hidden)]
#[derive(Debug)]
pub struct Validator {
    workflow: fn() -> &'static WorkflowEntry,
    update: &'static str,
    run: fn(&Payload, &Exposed) -> Verdict,
}

static REGISTERED: Registrations<Validator> = Registrations::new();

impl Validator {
    /// The validator of updates `U` to runs of `W`.
    pub const fn of<W: Workflow, U: Update>(run: fn(&Payload, &Exposed) -> Verdict) -> Self {
        Self { workflow: W::entry, update: U::NAME, run }
    }

    /// Adds it to the registry, before `main`.
    pub fn register(&'static self) {
        REGISTERED.add(self);
    }

    /// The validators of updates with this name to runs of a workflow.
    pub(super) fn find(workflow: &str, update: &str) -> Vec<&'static Self> {
        let mut validators = REGISTERED.all();
        validators.retain(|validator| {
            validator.update == update && (validator.workflow)().names().contains(&workflow)
        });
        validators
    }

    /// Checks an update. Accepts it if the run does not have the variables yet, and if the request cannot be
    /// decoded.
    pub(super) fn look(&self, request: &Payload, exposed: &Exposed) -> Verdict {
        match (self.run)(request, exposed) {
            Err(QueryError::NotExposed { .. }) => Ok(None),
            verdict => verdict,
        }
    }
}

/// Runs a validator of updates `U`.
///
/// # Errors
/// Errors of `check` when it reads exposed variables.
#[doc(hidden)]
pub fn validate<U: Update>(
    request: &Payload,
    check: impl FnOnce(&U) -> Result<Result<(), U::Error>, QueryError>,
) -> Verdict {
    // A request that cannot be decoded is refused by the run.
    let Ok(request) = codec::from_payload(request) else { return Ok(None) };
    match check(&request)? {
        Ok(()) => Ok(None),
        // If the error cannot be encoded, sending it reports that.
        Err(error) => Ok(codec::to_payload(&error).ok()),
    }
}

/// Whether a workflow exposes a variable of this name.
#[doc(hidden)]
pub const fn exposes<W: Workflow>(name: &str) -> bool {
    let mut index = 0;
    while index < W::EXPOSED.len() {
        let (known, name) = (W::EXPOSED[index].as_bytes(), name.as_bytes());
        let mut at = 0;
        while at < known.len() && at < name.len() && known[at] == name[at] {
            at += 1;
        }
        if at == known.len() && at == name.len() {
            return true;
        }
        index += 1;
    }
    false
}
