//! The attributes that a run sets.

use super::Context;
use crate::error::Error;
use crate::machine::StepError;
use crate::model::{AttributeChanges, AttributeError, Attributes};

/// What steps have set that nobody has taken yet.
#[derive(Debug, Default)]
pub(super) struct Labels {
    /// By the step that is being made.
    of_step: AttributeChanges,
    /// By the steps before it.
    of_steps_before: AttributeChanges,
    /// Why the step cannot be made, if it has tried to set what cannot be set.
    failed: Option<AttributeError>,
}

/// For workflow code.
impl Context {
    /// Sets attributes of the run, by which filters find it: those of a struct with
    /// [`#[derive(Attributes)]`](macro@crate::Attributes). A field that is `None` unsets its attribute; attributes that
    /// the struct does not have stay as they are.
    ///
    /// They are a part of the step: filters see them from the commit of the step on, together with the state that it
    /// leads to, also if the workflow returns in it. They are not set if the step panics. A run that is over keeps its
    /// attributes.
    ///
    /// The run fails if a value is longer than its kind allows, or no finite number: see
    /// [`AttributeError`].
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
    /// Begins to collect what a step sets.
    pub(super) fn begin_labels(&self) {
        let mut labels = self.fields().labels.borrow_mut();
        let before = std::mem::take(&mut labels.of_step);
        labels.of_steps_before.extend(before);
        labels.failed = None;
    }

    /// Whether all that the step has set can be set.
    ///
    /// # Errors
    /// Why it cannot.
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

    /// Drops what a step has set that has failed.
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
