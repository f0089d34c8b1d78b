//! The columns that every run has.

use std::fmt;

use crate::model::{BlockedReason, RunStatus};

/// Something that every run has, by the name that filters, orders and counts know it by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Column {
    /// The workflow's stored name.
    Workflow,
    /// The business key; that of a run without one is its run id.
    WorkflowId,
    /// The id of the run.
    RunId,
    /// Where the run stands: `running`, `blocked`, `completed` and so on.
    Status,
    /// The state that the run is in, or was in when it closed.
    State,
    /// The definition that wrote the state, as 16 hex digits.
    Definition,
    /// When the run was started.
    StartedAt,
    /// When the run closed.
    ClosedAt,
    /// When the run falls due of itself, if no worker has it.
    DueAt,
    /// Since when the run is blocked.
    BlockedAt,
    /// Since when the run is where it is: when it closed, was blocked, or made its last step, or else when it was
    /// started.
    Since,
    /// Why the run is blocked, as a word: `panicked`, `unregistered` and so on.
    BlockedKind,
}

/// What a column holds.
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

/// A column's words.
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

    /// The column of this name, in small or capital letters.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|column| column.as_str().eq_ignore_ascii_case(name))
    }

    /// The column whose name somebody may have meant by this one.
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

/// The word among these that is at most a slip of the pen away from this one.
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
