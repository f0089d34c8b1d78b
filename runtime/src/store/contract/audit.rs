//! The audit table: who changed a run by hand, when and why.
//!
//! An entry is written in the transaction of the change that it records, so neither exists without the other. No
//! method changes or removes an entry.

use crate::model::{RunId, Timestamp};

/// The id of an entry. Ids are unique and increase.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct AuditEntryId(pub i64);

impl std::fmt::Display for AuditEntryId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

/// An audit entry to be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewAuditEntry {
    /// Who makes it.
    pub who: String,
    /// The action, in one word.
    pub action: String,
    /// Why, for people.
    pub reason: String,
    /// Further details of the change, as JSON.
    pub details: Option<String>,
}

/// A change that was made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditEntry {
    /// Its id.
    pub id: AuditEntryId,
    /// The run that was changed, which may have been deleted since.
    pub run_id: Option<RunId>,
    /// When, by the database's clock.
    pub at: Timestamp,
    /// Who has made it, what and why.
    pub entry: NewAuditEntry,
}
