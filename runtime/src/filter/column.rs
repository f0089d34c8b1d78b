//! The columns that every run has.

use std::fmt;

use crate::model::{BlockedReason, RunStatus};

/// A property of every run, by its name in filters, orders and counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Column {
    /// The workflow's stored name.
    Workflow,
    /// The workflow id; by default, the run id.
    WorkflowId,
    /// The id of the run.
    RunId,
    /// The status: `running`, `blocked`, `completed` and so on.
    Status,
    /// The present state, or the last one before the run closed.
    State,
    /// The definition of the state, as 16 hex digits.
    Definition,
    /// When the run was started.
    StartedAt,
    /// When the run closed.
    ClosedAt,
    /// When the run becomes due by itself, if no worker owns it.
    DueAt,
    /// When the run was blocked.
    BlockedAt,
    /// When the run reached its present state: when it closed, was blocked, made its last step, or else was
    /// started.
    Since,
    /// The kind of the block: `panicked`, `unregistered` and so on.
    BlockedKind,
}

/// The values of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ColumnType {
    /// Any text.
    Text,
    /// One of these words.
    Word(Words),
    RunId,
    Definition,
    Time,
}

/// The names of a column's values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Words {
    Statuses,
    BlockedKinds,
}

impl Words {
    pub(crate) fn all(self) -> &'static [&'static str] {
        const STATUSES: [&str; RunStatus::ALL.len()] = {
            let mut words = [""; RunStatus::ALL.len()];
            let mut index = 0;
            while index < words.len() {
                words[index] = RunStatus::ALL[index].as_str();
                index += 1;
            }
            words
        };
        match self {
            Self::Statuses => &STATUSES,
            Self::BlockedKinds => &BlockedReason::KINDS,
        }
    }
}

impl Column {
    /// All columns.
    pub const ALL: [Self; 12] = [
        Self::Workflow,
        Self::WorkflowId,
        Self::RunId,
        Self::Status,
        Self::State,
        Self::Definition,
        Self::StartedAt,
        Self::ClosedAt,
        Self::DueAt,
        Self::BlockedAt,
        Self::Since,
        Self::BlockedKind,
    ];

    /// The column's name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Workflow => "workflow",
            Self::WorkflowId => "workflow_id",
            Self::RunId => "run_id",
            Self::Status => "status",
            Self::State => "state",
            Self::Definition => "definition",
            Self::StartedAt => "started_at",
            Self::ClosedAt => "closed_at",
            Self::DueAt => "due_at",
            Self::BlockedAt => "blocked_at",
            Self::Since => "since",
            Self::BlockedKind => "blocked_kind",
        }
    }

    /// The column with this name, in upper or lower case.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|column| column.as_str().eq_ignore_ascii_case(name))
    }

    /// The column with the most similar name, for error messages.
    pub(crate) fn near(name: &str) -> Option<Self> {
        near(name, Self::ALL.map(Self::as_str)).and_then(Self::parse)
    }

    pub(crate) fn ty(self) -> ColumnType {
        match self {
            Self::Workflow | Self::WorkflowId | Self::State => ColumnType::Text,
            Self::Status => ColumnType::Word(Words::Statuses),
            Self::BlockedKind => ColumnType::Word(Words::BlockedKinds),
            Self::RunId => ColumnType::RunId,
            Self::Definition => ColumnType::Definition,
            Self::StartedAt | Self::ClosedAt | Self::DueAt | Self::BlockedAt | Self::Since => {
                ColumnType::Time
            }
        }
    }
}

/// The most similar of these names, if it differs by a typing error.
pub(crate) fn near<'a>(word: &str, words: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let word = word.to_lowercase();
    let slips = if word.chars().count() < 8 { 1 } else { 2 };
    let distances = words.into_iter().map(|near| (strsim::osa_distance(&word, near), near));
    let nearest = distances.min_by_key(|(distance, _)| *distance);
    nearest.filter(|(distance, _)| *distance <= slips).map(|(_, near)| near)
}

impl fmt::Display for Column {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
