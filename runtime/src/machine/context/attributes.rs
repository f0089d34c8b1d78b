//! The attributes and the memo that a run sets.

use super::Context;
use crate::error::Error;
use crate::machine::StepError;
use crate::model::{AttributeChanges, AttributeError, Attributes, Memo};

/// Changes of attributes and memos that are not committed yet.
#[derive(Debug, Default)]
pub(super) struct Labels {
    /// Of the current step.
    of_step: AttributeChanges,
    /// Of earlier steps.
    of_steps_before: AttributeChanges,
    /// The error of the current step, if a change is not valid.
    failed: Option<AttributeError>,
    /// The memo that the current step sets.
    memo: Option<Memo>,
    /// The memo that earlier steps have set.
    memo_before: Option<Memo>,
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

    /// Replaces the memo of the run, which lists show: also the one with which the run was started. An empty memo
    /// removes it. Like [`Context::set_attributes`], the change is part of the step. A closed run keeps its memo, and
    /// the runs that follow it in its chain take it over.
    ///
    /// The run fails if the memo is longer than [`Memo::MAX_BYTES`] as JSON.
    ///
    /// ```
    /// use piton::model::Memo;
    /// use piton::prelude::*;
    ///
    /// #[workflow]
    /// async fn ship(cx: &Context, parcels: u32) {
    ///     cx.set_memo([("left", parcels)].into_iter().collect::<Memo>());
    ///     cx.sleep(hours(1)).await;
    /// }
    /// ```
    pub fn set_memo(&self, memo: impl Into<Memo>) {
        self.fields().labels.borrow_mut().memo = Some(memo.into());
    }
}

impl Context {
    /// Starts to collect the changes of a step.
    pub(super) fn begin_labels(&self) {
        let mut labels = self.fields().labels.borrow_mut();
        let before = std::mem::take(&mut labels.of_step);
        labels.of_steps_before.extend(before);
        labels.failed = None;
        if let Some(memo) = labels.memo.take() {
            labels.memo_before = Some(memo);
        }
    }

    /// Checks the changes of the step.
    ///
    /// # Errors
    /// The first change that is not valid.
    pub(crate) fn check_labels(&self) -> Result<(), StepError> {
        let mut labels = self.fields().labels.borrow_mut();
        if let Some(error) = labels.failed.take() {
            let context = "attributes cannot be set";
            return Err(StepError::Failed(Error::from(error).context(context)));
        }
        if let Some(Err(bytes)) = labels.memo.as_ref().map(Memo::check) {
            let limit = Memo::MAX_BYTES;
            let message = format!(
                "the memo cannot be set: it has {bytes} bytes as JSON; the limit is {limit}"
            );
            return Err(StepError::Failed(Error::msg(message)));
        }
        Ok(())
    }

    /// Drops the changes of a failed step.
    pub(crate) fn drop_labels(&self) {
        let mut labels = self.fields().labels.borrow_mut();
        (labels.of_step, labels.memo) = (AttributeChanges::new(), None);
    }

    pub(crate) fn take_attributes(&self) -> AttributeChanges {
        let mut labels = self.fields().labels.borrow_mut();
        let of_step = std::mem::take(&mut labels.of_step);
        let mut changes = std::mem::take(&mut labels.of_steps_before);
        changes.extend(of_step);
        changes
    }

    pub(crate) fn take_memo(&self) -> Option<Memo> {
        let mut labels = self.fields().labels.borrow_mut();
        let before = labels.memo_before.take();
        labels.memo.take().or(before)
    }
}
