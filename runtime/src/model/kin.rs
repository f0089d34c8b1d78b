//! Relations between runs: chains, parents and children.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::{AttributeMap, DefinitionHash, Handle, Memo, Payload, RunId, RunStatus, Terms};

/// Why a run follows another one in a chain. The names are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Link {
    /// The previous run has [continued as new](crate::machine::Context::continue_as_new).
    Continued,
    /// The previous run has failed and is retried.
    Retry,
    /// The previous run has closed, and the next time of its cron expression was due.
    Cron,
}

impl Link {
    /// Every link, in the order of declaration.
    pub const ALL: [Self; 3] = [Self::Continued, Self::Retry, Self::Cron];

    /// The stored name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Continued => "continued",
            Self::Retry => "retry",
            Self::Cron => "cron",
        }
    }

    /// Parses a stored name.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|link| link.as_str() == word)
    }
}

impl fmt::Display for Link {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// What happens to a child that is open when its parent's chain closes. The names are stored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ParentClose {
    /// It is terminated.
    #[default]
    Terminate,
    /// It gets a request to cancel.
    RequestCancel,
    /// It continues.
    Abandon,
}

impl ParentClose {
    /// Every policy, in the order of declaration.
    pub const ALL: [Self; 3] = [Self::Terminate, Self::RequestCancel, Self::Abandon];

    /// The stored name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Terminate => "terminate",
            Self::RequestCancel => "request_cancel",
            Self::Abandon => "abandon",
        }
    }

    /// Parses a stored name.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|policy| policy.as_str() == word)
    }
}

impl fmt::Display for ParentClose {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A child to start.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ChildStart {
    /// The id of its first run, which identifies its chain.
    pub run_id: RunId,
    /// The workflow's stored name.
    pub workflow: String,
    /// The encoded arguments.
    pub arguments: Payload,
    /// The encoded first snapshot.
    pub snapshot: Vec<u8>,
    /// The name of the first state.
    pub state: String,
    /// The definition of the snapshot.
    pub definition: DefinitionHash,
    /// The policy for when its parent closes.
    pub on_parent_close: ParentClose,
    /// The operation of the parent that waits for its end, if there is one already.
    pub awaited_by: Option<Handle>,
    /// Its options.
    #[serde(with = "options_as_json")]
    pub options: Option<Box<ChildOptions>>,
}

/// The options of a child.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ChildOptions {
    /// Its terms, without its due time.
    pub terms: Option<Terms>,
    /// Its attributes.
    pub attributes: AttributeMap,
    /// Its memo.
    pub memo: Memo,
    /// Whether the policy is also applied when another run follows the parent in its chain.
    pub ends_with_run: bool,
}

/// Options are JSON within a message, because most children have none and others may be added.
mod options_as_json {
    use serde::de::Error as _;
    use serde::ser::Error as _;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use super::ChildOptions;

    #[allow(clippy::ref_option, reason = "the form that serde asks for")]
    pub(super) fn serialize<S: Serializer>(
        options: &Option<Box<ChildOptions>>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        let json = options.as_ref().map(serde_json::to_string).transpose();
        json.map_err(S::Error::custom)?.serialize(serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<Box<ChildOptions>>, D::Error> {
        let json = Option::<String>::deserialize(deserializer)?;
        json.map(|json| serde_json::from_str(&json)).transpose().map_err(D::Error::custom)
    }
}

/// How a child ended, as reported to its parent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum ChildEnd {
    /// The last run of its chain is closed.
    Closed {
        /// A closed status.
        status: RunStatus,
        /// The encoded return value, if it has one.
        result: Option<Payload>,
        /// Why it did not complete, for people.
        failure: Option<String>,
    },
    /// It was not started: an open run had its workflow id.
    IdTaken {
        /// That run.
        run_id: RunId,
    },
    /// The child no longer exists in the database.
    Unknown,
}

impl ChildStart {
    /// Whether the policy is also applied when another run follows the parent in its chain.
    #[cfg(feature = "engine")]
    pub(crate) fn ends_with_run(&self) -> bool {
        self.options.as_ref().is_some_and(|options| options.ends_with_run)
    }
}

impl ChildEnd {
    /// The value that it carries.
    #[cfg(feature = "engine")]
    pub(crate) fn payload(&self) -> Option<&Payload> {
        match self {
            Self::Closed { result, .. } => result.as_ref(),
            Self::IdTaken { .. } | Self::Unknown => None,
        }
    }
}
