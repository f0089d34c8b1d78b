//! The attributes that a run sets.

use super::Context;
use crate::error::Error;
use crate::machine::StepError;
use crate::model::{AttributeChanges, AttributeError, Attributes};

/// Changes of attributes that are not committed yet.
#[derive(Debug, Default)]
pub(super) struct Labels {
    /// Of the current step.
    of_step: AttributeChanges,
    /// Of earlier steps.
    of_steps_before: AttributeChanges,
    /// The error of the current step, if a change is not valid.
    failed: Option<AttributeError>,
}

/// For workflow code.
impl Context {
    /// Sets attributes of the run, by which filters find it: those of a struct with
    /// [`#[derive(Attributes)]`](macro@crate::Attributes). A field that is `None` removes its attribute; other
    /// attributes do not change.
    ///
    /// The change is part of the step: filters see it after the commit of the step, together with the new state,
    /// even if the workflow returns in the step. If the step panics, nothing is changed. A closed run keeps its
    /// attributes.
    ///
    /// The run fails if a value is longer than its kind allows, or is not a finite number: see [`AttributeError`].
    ///
    /// ```
    /// use piton::prelude::*;
    /// use piton::Attributes;
    ///
    /// #[derive(Attributes)]
    /// struct Shipment {
    ///     carrier: String,
    ///     parcels: u32,
    /// }
    ///
    /// #[workflow]
    /// async fn ship(cx: &Context, parcels: u32) {
    ///     cx.set_attributes(Shipment { carrier: "pigeon".to_owned(), parcels });
    ///     cx.sleep(hours(1)).await;
    /// }
    /// ```
    pub fn set_attributes(&self, attributes: impl Attributes) {
        let changes = attributes.into_changes();
        let mut labels = self.fields().labels.borrow_mut();
        match changes.check() {
            Ok(()) => labels.of_step.extend(changes),
            Err(error) => _ = labels.failed.get_or_insert(error),
        }
    }
}

impl Context {
    /// Starts to collect the changes of a step.
    pub(super) fn begin_labels(&self) {
        let mut labels = self.fields().labels.borrow_mut();
        let before = std::mem::take(&mut labels.of_step);
        labels.of_steps_before.extend(before);
        labels.failed = None;
    }

    /// Checks the changes of the step.
    ///
    /// # Errors
    /// The first change that is not valid.
    pub(crate) fn check_labels(&self) -> Result<(), StepError> {
        let failed = self.fields().labels.borrow_mut().failed.take();
        match failed {
            None => Ok(()),
            Some(error) => {
                let context = "attributes cannot be set";
                Err(StepError::Failed(Error::from(error).context(context)))
            }
        }
    }

    /// Drops the changes of a failed step.
    pub(crate) fn drop_labels(&self) {
        self.fields().labels.borrow_mut().of_step = AttributeChanges::new();
    }

    pub(crate) fn take_attributes(&self) -> AttributeChanges {
        let mut labels = self.fields().labels.borrow_mut();
        let of_step = std::mem::take(&mut labels.of_step);
        let mut changes = std::mem::take(&mut labels.of_steps_before);
        changes.extend(of_step);
        changes
    }
}
