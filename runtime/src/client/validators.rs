//! Validators: users' functions that check an update before it is sent, declared with `#[validator]`.

use super::Exposed;
use crate::codec;
use crate::error::QueryError;
use crate::generated::registration::Registrations;
use crate::machine::{Update, Workflow, WorkflowEntry};
use crate::model::Payload;

/// What a validator says: nothing, or the encoded error that it refuses the update with.
type Verdict = Result<Option<Payload>, QueryError>;

/// What `#[validator]` puts into the registry.
#[doc(hidden)]
#[derive(Debug)]
pub struct Validator {
    workflow: fn() -> &'static WorkflowEntry,
    update: &'static str,
    run: fn(&Payload, &Exposed) -> Verdict,
}

static REGISTERED: Registrations<Validator> = Registrations::new();

impl Validator {
    /// That of updates `U` to runs of `W`.
    pub const fn of<W: Workflow, U: Update>(run: fn(&Payload, &Exposed) -> Verdict) -> Self {
        Self { workflow: W::entry, update: U::NAME, run }
    }

    /// Puts it into the registry, before `main`.
    pub fn register(&'static self) {
        REGISTERED.add(self);
    }

    /// Those of updates of this name to runs of a workflow.
    pub(super) fn find(workflow: &str, update: &str) -> Vec<&'static Self> {
        let mut validators = REGISTERED.all();
        validators.retain(|validator| {
            validator.update == update
                && (validator.workflow)().names().any(|name| name == workflow)
        });
        validators
    }

    /// Looks at an update. Of a run that does not have the variables yet, and of a request that it cannot read, it
    /// says nothing.
    pub(super) fn look(&self, request: &Payload, exposed: &Exposed) -> Verdict {
        match (self.run)(request, exposed) {
            Err(QueryError::NotExposed { .. }) => Ok(None),
            verdict => verdict,
        }
    }
}

/// Asks a validator of updates `U`.
///
/// # Errors
/// What `check` meets when it reads exposed variables.
#[doc(hidden)]
pub fn validate<U: Update>(
    request: &Payload,
    check: impl FnOnce(&U) -> Result<Result<(), U::Error>, QueryError>,
) -> Verdict {
    // The run says what is wrong with one that cannot be read.
    let Ok(request) = codec::from_payload(request) else { return Ok(None) };
    match check(&request)? {
        Ok(()) => Ok(None),
        // A value that cannot be encoded says so once more where it is sent.
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
