//! The terms of the run, and its place in its chain.

use super::Context;
use crate::codec::CodecError;
use crate::machine::{Outcome as _, Workflow};
#[cfg(feature = "engine")]
use crate::model::Terms;

/// For workflow code.
impl Context {
    /// The number of this attempt of the workflow, from 1. A later attempt follows a run that has failed or timed
    /// out, if the start set a retry policy. A run that continues another as new, or that cron has started, is
    /// attempt 1.
    pub fn attempt(&self) -> u32 {
        self.fields().terms.borrow().as_ref().map_or(1, |terms| terms.attempt)
    }

    /// The result of the last completed run of the chain before this one, for a workflow with a cron expression.
    /// `W` is the workflow itself. `None` if there is no such run.
    ///
    /// # Errors
    /// [`CodecError`] if another build has written the result in a form that cannot be read as the present type.
    pub fn last_result<W: Workflow>(&self) -> Result<Option<W::Output>, CodecError> {
        let terms = self.fields().terms.borrow();
        let Some(result) = terms.as_ref().and_then(|terms| terms.last_result.as_ref()) else {
            return Ok(None);
        };
        // A completed run has not returned an error.
        Ok(W::Shape::into_result(W::RETURNED.decode(result)?).ok())
    }
}

/// For the engine.
#[cfg(feature = "engine")]
impl Context {
    pub(crate) fn terms(&self) -> Option<Terms> {
        self.fields().terms.borrow().as_deref().cloned()
    }

    pub(crate) fn set_terms(&self, terms: Terms) {
        self.fields().terms.replace(Some(Box::new(terms)));
    }
}
