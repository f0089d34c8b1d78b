//! Memos: values that a run is started with and that lists show.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Small values by their names, which lists show and filters do not know. It does not change.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Memo(BTreeMap<String, Value>);

impl Memo {
    /// How many bytes it may have, as JSON.
    pub const MAX_BYTES: usize = 16 << 10;

    /// Nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a value, in place of one of the same name.
    pub fn insert(&mut self, name: impl Into<String>, value: impl Into<Value>) {
        self.0.insert(name.into(), value.into());
    }

    /// The value of this name.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.0.get(name)
    }

    /// All values, in the order of their names.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, &Value)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value))
    }

    /// Whether there is nothing in it.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// As JSON.
    pub(crate) fn to_json(&self) -> String {
        // Names and JSON values always have a JSON form.
        serde_json::to_string(&self.0).unwrap_or_default()
    }

    /// How many bytes it has, as JSON.
    pub fn bytes(&self) -> usize {
        if self.is_empty() { 0 } else { self.to_json().len() }
    }
}

impl<N: Into<String>, V: Into<Value>> FromIterator<(N, V)> for Memo {
    fn from_iter<I: IntoIterator<Item = (N, V)>>(entries: I) -> Self {
        Self(entries.into_iter().map(|(name, value)| (name.into(), value.into())).collect())
    }
}
