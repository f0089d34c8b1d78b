//! The awaited operation of a state, described by types: its name and schemas, without a value.
//!
//! A definition knows it for each of its states and their branches, so that a frame can be read, and carried over to
//! other code, by whoever has the definition and not the types.

use super::WorkflowEntry;
use super::values::ArgumentKind;
use crate::codec::Described;

/// What is awaited.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Awaited {
    /// An activity.
    Activity {
        /// Its stored name.
        name: &'static str,
        /// The declared types of its arguments.
        arguments: &'static [ArgumentKind],
        /// What it returns.
        returned: Described,
    },
    /// Another workflow, inline.
    Workflow(fn() -> &'static WorkflowEntry),
    /// A point in time.
    Timer,
    /// A signal, perhaps with a limit of time.
    Signal {
        /// Its stored name.
        name: &'static str,
        /// What it carries.
        value: Described,
        /// Whether the wait has a limit of time.
        is_limited: bool,
    },
    /// An update, perhaps with a limit of time.
    Update {
        /// Its stored name.
        name: &'static str,
        /// What the request carries.
        value: Described,
        /// What it is answered with.
        reply: Described,
        /// Whether the wait has a limit of time.
        is_limited: bool,
    },
    /// A request to cancel the run.
    Cancellation,
    /// A child.
    Child {
        /// The stored name of its workflow.
        workflow: &'static str,
        /// Its workflow.
        entry: fn() -> &'static WorkflowEntry,
        /// What that returns.
        returned: Described,
    },
    /// What a promise comes to, perhaps with a limit of time.
    Promise {
        /// What it is resolved with.
        resolved: Described,
        /// What it is rejected with.
        rejected: Described,
        /// Whether the wait has a limit of time.
        is_limited: bool,
    },
    /// What becomes the outcome of a promise when it is there.
    Fill(&'static Self),
    /// All of a list of such operations, or one of them.
    List(&'static Self),
    /// Such an operation, for a limited time.
    Within(&'static Self),
    /// Such an operation for each of many items.
    Each(&'static Self),
    /// Such an operation again and again, with pauses.
    Repeated(&'static Self),
}

impl Awaited {
    /// The workflow that is awaited, also as one of a list.
    pub(crate) fn workflow(&self) -> Option<&'static WorkflowEntry> {
        match self {
            Self::Workflow(entry) => Some(entry()),
            Self::List(item) | Self::Fill(item) | Self::Within(item) => item.workflow(),
            _ => None,
        }
    }
}
