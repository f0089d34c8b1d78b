//! The attributes and the memo that a run is started with.

use crate::error::StartError;
use crate::model::{AttributeChanges, AttributeMap, Memo};

/// Attributes and a memo.
#[derive(Clone, Debug, Default)]
pub(super) struct Labels {
    attributes: AttributeChanges,
    pub(super) memo: Memo,
}

impl Labels {
    /// Adds attributes; later ones replace earlier ones of the same name.
    pub(super) fn add(&mut self, attributes: AttributeChanges) {
        self.attributes.extend(attributes);
    }

    /// The attributes and the memo, as stored.
    ///
    /// # Errors
    /// A value is too long, or cannot be stored.
    pub(super) fn checked(self) -> Result<(AttributeMap, Memo), StartError> {
        let Self { attributes: changes, memo } = self;
        changes.check().map_err(StartError::Attributes)?;
        memo.check().map_err(|bytes| StartError::Memo { bytes })?;
        let mut attributes = AttributeMap::new();
        changes.apply_to(&mut attributes);
        Ok((attributes, memo))
    }
}
