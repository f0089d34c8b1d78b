//! Why a worker was not started.

use super::StoreError;

/// Why the workflows and activities of a program cannot be served.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RegistryError {
    /// Two workflows have the same stored name.
    #[error(
        "two workflows are named `{name}`, at {} and at {}: rename one with `#[workflow(name = \"…\")]`",
        places[0], places[1]
    )]
    DuplicateWorkflow {
        /// The name.
        name: &'static str,
        /// The file and the line of each definition.
        places: [String; 2],
    },
    /// A workflow has a present or former name of another one.
    #[error(
        "a workflow and another one that was `formerly` of that name are both named `{name}`, at {} and at {}: runs \
         can belong to one of them only, so rename one or remove the `formerly`",
        places[0], places[1]
    )]
    FormerName {
        /// The name.
        name: &'static str,
        /// The file and the line of each definition.
        places: [String; 2],
    },
    /// Two activities have the same stored name.
    #[error(
        "two activities are named `{name}`, at {} and at {}: rename one with `#[activity(name = \"…\")]`",
        places[0], places[1]
    )]
    DuplicateActivity {
        /// The name.
        name: &'static str,
        /// The file and the line of each definition.
        places: [String; 2],
    },
    /// A workflow holds values across an await, or awaits operations with values, that could not be decoded.
    #[error("the workflow `{workflow}` cannot be served: {}", problems.join("; "))]
    CannotBeSaved {
        /// The workflow.
        workflow: &'static str,
        /// For each value: its type, the problem, and how to fix it. The value is a local, or one that an operation which
        /// the workflow awaits takes or gives.
        problems: Vec<String>,
    },
    /// An activity has arguments or a result that could not be decoded.
    #[error("the activity `{activity}` cannot be served: {}", problems.join("; "))]
    CannotBeStored {
        /// The activity.
        activity: &'static str,
        /// For each value: its type, the problem, and how to fix it.
        problems: Vec<String>,
    },
}

/// Why a worker could not be started.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WorkerError {
    /// The workflows or activities are not valid. Retrying does not help.
    #[error(transparent)]
    Registry(#[from] RegistryError),
    /// Tokio's clock is paused and the database's is not, so no timer of a run would fire. Nothing was written.
    #[error(
        "tokio's clock is paused and the clock of the database is not, so no timer would fire; in a test with \
         `start_paused = true`, use `Client::new(MemoryStore::new())`, whose clock follows tokio's"
    )]
    PausedClock,
    /// The database failed.
    #[error("the database failed while the worker was registered")]
    Store(#[from] StoreError),
}
