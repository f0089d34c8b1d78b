//! Memos: values of a run that lists show.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Small values by name, which lists show and filters cannot use. The workflow may
/// [replace](crate::machine::Context::set_memo) the one with which its run was started.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Memo(BTreeMap<String, Value>);

impl Memo {
    /// The maximum size as JSON, in bytes.
    pub const MAX_BYTES: usize = 16 << 10;

    /// An empty memo.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a value; replaces one with the same name.
    pub fn insert(&mut self, name: impl Into<String>, value: impl Into<Value>) {
        self.0.insert(name.into(), value.into());
    }

    /// The value with this name.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.0.get(name)
    }

    /// All values, ordered by name.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, &Value)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value))
    }

    /// Whether it is empty.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// As JSON.
    pub(crate) fn to_json(&self) -> String {
        // Names and JSON values always have a JSON form.
        serde_json::to_string(&self.0).unwrap_or_default()
    }

    /// Its size as JSON, in bytes.
    pub fn bytes(&self) -> usize {
        if self.is_empty() { 0 } else { self.to_json().len() }
    }

    /// Checks that it is not longer than [`Memo::MAX_BYTES`].
    ///
    /// # Errors
    /// Its size in bytes.
    pub(crate) fn check(&self) -> Result<(), usize> {
        let bytes = self.bytes();
        if bytes > Self::MAX_BYTES { Err(bytes) } else { Ok(()) }
    }
}

impl<N: Into<String>, V: Into<Value>> FromIterator<(N, V)> for Memo {
    fn from_iter<I: IntoIterator<Item = (N, V)>>(entries: I) -> Self {
        Self(entries.into_iter().map(|(name, value)| (name.into(), value.into())).collect())
    }
}
