//! Why a run cannot be started with stored arguments.

use std::fmt;

/// Why a run cannot be started with the arguments that a schedule, or an earlier run, has stored.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum UnfitStart {
    /// No workflow of this build has the name, or had it.
    MissingWorkflow,
    /// The workflow cannot take the arguments. The text names the argument, the path in it, and what was expected.
    Arguments(String),
    /// Code of the arguments' types panicked with this message.
    Panicked(String),
}

impl fmt::Display for UnfitStart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::MissingWorkflow => f.write_str("this build has no such workflow"),
            Self::Arguments(reason) => {
                write!(f, "the workflow cannot take its arguments: {reason}")
            }
            Self::Panicked(message) => {
                write!(f, "reading the arguments of the workflow panicked: {message}")
            }
        }
    }
}

impl UnfitStart {
    /// How to fix it.
    pub fn help(&self) -> &'static str {
        match self {
            Self::MissingWorkflow => {
                "if it has another name now, say so with `#[workflow(formerly = \"…\")]`; otherwise let the schedule start \
                 another workflow, or delete it"
            }
            Self::Arguments(_) | Self::Panicked(_) => {
                // The schema does not show the attributes of serde.
                "unless the type can read the argument already, make it able to (`#[serde(default)]`, \
                 `#[serde(alias)]`, `Option`), add a field to an argument instead of a parameter, or start with other \
                 arguments: update the schedule"
            }
        }
    }
}
