//! What is agreed on the run, and how far its chain has come.

use super::Context;
use crate::codec::CodecError;
use crate::machine::{Outcome as _, Workflow};
#[cfg(feature = "engine")]
use crate::model::Terms;

/// For workflow code.
impl Context {
    /// Which attempt of the workflow this run is, from 1. Later ones follow a run that has failed or timed out, if the
    /// start asked for that. The runs that continue one as new, or that cron starts, begin at 1 again.
    pub fn attempt(&self) -> u32 {
        self.fields().terms.borrow().as_ref().map_or(1, |terms| terms.attempt)
    }

    /// What the last run of the chain that has completed before this one has returned, for a workflow that cron starts
    /// again and again. `W` is the workflow itself. `None` if there is no such run.
    ///
    /// # Errors
    /// The result was written by other code, in a form that cannot be read as the type of today.
    pub fn last_result<W: Workflow>(&self) -> Result<Option<W::Output>, CodecError> {
        let terms = self.fields().terms.borrow();
        let Some(result) = terms.as_ref().and_then(|terms| terms.last_result.as_ref()) else {
            return Ok(None);
        };
        // A run that has completed has returned no error.
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
