//! The awaited operation of a state, described by types: its name and schemas, without a value.
//!
//! A definition has it for each state and branch. With it a frame can be read, and converted to other code, without the
//! types.

use super::WorkflowEntry;
use super::values::ArgumentKind;
use crate::codec::Described;

/// An awaited operation.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Awaited {
    /// An activity.
    Activity {
        /// Its stored name.
        name: &'static str,
        /// The declared types of its arguments.
        arguments: &'static [ArgumentKind],
        /// Its return type.
        returned: Described,
    },
    /// Another workflow, inline.
    Workflow(fn() -> &'static WorkflowEntry),
    /// A point in time.
    Timer,
    /// A signal.
    Signal {
        /// Its stored name.
        name: &'static str,
        /// The type of its values.
        value: Described,
        /// Whether the wait has a limit of time.
        is_limited: bool,
    },
    /// An update.
    Update {
        /// Its stored name.
        name: &'static str,
        /// The type of the request.
        value: Described,
        /// The type of the reply.
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
        /// The return type of the workflow.
        returned: Described,
    },
    /// The outcome of a promise.
    Promise {
        /// The type of its value.
        resolved: Described,
        /// The type of its error.
        rejected: Described,
        /// Whether the wait has a limit of time.
        is_limited: bool,
    },
    /// An operation whose outcome completes a promise.
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
    /// The operation inside of lists, time limits and promises that it fills.
    pub(crate) fn innermost(&self) -> &Self {
        match self {
            Self::List(item) | Self::Fill(item) | Self::Within(item) => item.innermost(),
            awaited => awaited,
        }
    }

    /// The awaited workflow, also one in a list.
    pub(crate) fn workflow(&self) -> Option<&'static WorkflowEntry> {
        match self.innermost() {
            Self::Workflow(entry) => Some(entry()),
            _ => None,
        }
    }

    /// The types of the arguments and results of the operation, each with a description for people. An inline workflow has
    /// a definition of its own.
    pub(crate) fn values(&self) -> Vec<(String, Described)> {
        match self {
            Self::Activity { name, arguments, returned } => call_values(name, arguments, *returned),
            Self::Signal { name, value, .. } => vec![(format!("the signal `{name}`"), *value)],
            Self::Update { name, value, reply, .. } => vec![
                (format!("the update `{name}`"), *value),
                (format!("the reply to the update `{name}`"), *reply),
            ],
            Self::Child { workflow, returned, .. } => {
                vec![(format!("the result of the child `{workflow}`"), *returned)]
            }
            Self::Promise { resolved, rejected, .. } => vec![
                ("the value of a promise".to_owned(), *resolved),
                ("the error of a promise".to_owned(), *rejected),
            ],
            Self::Fill(inner)
            | Self::List(inner)
            | Self::Within(inner)
            | Self::Each(inner)
            | Self::Repeated(inner) => inner.values(),
            Self::Workflow(_) | Self::Timer | Self::Cancellation => Vec::new(),
        }
    }
}

/// The types of the arguments and of the result of an activity, each with a description for people.
pub(crate) fn call_values(
    activity: &str,
    arguments: &[ArgumentKind],
    returned: Described,
) -> Vec<(String, Described)> {
    let arguments = (1..).zip(arguments).map(|(number, argument)| {
        (format!("argument {number} of the activity `{activity}`"), argument.described)
    });
    let result = (format!("the result of the activity `{activity}`"), returned);
    arguments.chain([result]).collect()
}
