//! The result of the comparison, formatted like rustc's messages.

use std::fmt;

use super::check::name_of;
use crate::evolution::{Concern, StoredDefinition, old_struct};
use crate::machine::WorkflowEntry;
use crate::model::{AwaitKind, Finding};

/// The result of comparing `piton.lock` with the present workflows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Report {
    /// The errors, followed by the warnings.
    pub messages: Vec<Message>,
    /// Workflows whose present definition is not in the file.
    pub unrecorded: Vec<String>,
}

/// A message about a difference.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Message {
    /// Whether it has to be fixed.
    pub level: Level,
    /// The text.
    pub text: String,
    /// The source location: the file and the line.
    pub place: String,
    /// Further information.
    pub notes: Vec<String>,
    /// How to fix it.
    pub help: Vec<String>,
    /// The finding that blocks runs. `None` if the workflow no longer exists.
    pub finding: Option<Finding>,
}

/// How serious a [`Message`] is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Runs will be blocked.
    Error,
    /// Whether runs will be blocked depends on their saved values.
    Warning,
}

impl Report {
    /// Whether no run will certainly be blocked.
    pub fn is_ok(&self) -> bool {
        self.messages.iter().all(|message| message.level != Level::Error)
    }

    /// The findings that certainly block runs.
    pub fn findings(&self) -> impl Iterator<Item = &Finding> {
        let errors = self.messages.iter().filter(|message| message.level == Level::Error);
        errors.filter_map(|message| message.finding.as_ref())
    }
}

impl Message {
    /// The message about a concern. This number of `others` of the same workflow, released earlier, have the same
    /// concern.
    pub(super) fn of(concern: &Concern, definition: &StoredDefinition, others: usize) -> Self {
        let Concern { finding, depends_on_value, state } = concern;
        let Finding { workflow, state: name, saved_at, now_at, difference } = finding;
        let mut notes = vec![format!(
            "runs may be parked in this state, at {saved_at} of the definition {} of {}",
            definition.hash,
            name_of(&definition.workflow, definition.version)
        )];
        match others {
            0 => {}
            1 => notes.push("an older definition in `piton.lock` has the same".to_owned()),
            more => notes.push(format!("{more} older definitions in `piton.lock` have the same")),
        }
        let (level, text) = match depends_on_value {
            false => (
                Level::Error,
                format!(
                    "the state `{name}` of `{workflow}` does not fit the released definition: {difference}"
                ),
            ),
            true => (
                Level::Warning,
                format!(
                    "the state `{name}` of `{workflow}` may not fit what a run has saved: {difference}"
                ),
            ),
        };
        let mut help = vec![finding.help().to_owned()];
        let has_begun = definition
            .states
            .get(*state as usize)
            .is_none_or(|state| state.kind != AwaitKind::Start);
        if !has_begun {
            help.push(
                "a `#[migrate]` cannot give arguments to a run that has not begun: make the value a field with \
                 `#[serde(default)]` of an argument, or keep the old function beside a new version of it"
                    .to_owned(),
            );
        } else if !depends_on_value {
            help.push(format!(
                "a `#[migrate(workflow = {workflow}, from = {name:?})]` is called with the saved values:\n{}",
                old_struct(definition, *state)
            ));
        }
        let place = now_at.as_ref().unwrap_or(saved_at).clone();
        Self { level, text, place, notes, help, finding: Some(finding.clone()) }
    }

    /// The message about a definition whose workflow, or version of it, is not in the program.
    pub(super) fn of_gone(
        definition: &StoredDefinition,
        entries: &[&'static WorkflowEntry],
    ) -> Self {
        let StoredDefinition { workflow, version, .. } = definition;
        let start = definition.states.first();
        let place =
            start.map_or_else(String::new, |start| format!("{}:{}", start.file, start.line));
        let has_name = entries.iter().any(|entry| entry.names().contains(&workflow.as_str()));
        let help = match has_name {
            true => format!(
                "keep the function of version {version} beside the new one until its runs have ended"
            ),
            false => format!(
                "if it has another name now, say so with `#[workflow(formerly = {workflow:?})]`; if it is no longer \
                 linked into this program, name its crate with `use its_name as _;`"
            ),
        };
        let retire = "if no run depends on it, remove its definitions from `piton.lock`";
        Self {
            level: Level::Error,
            text: format!("the workflow {} is gone", name_of(workflow, *version)),
            place,
            notes: vec!["its runs would wait for a worker that has it".to_owned()],
            help: vec![help, retire.to_owned()],
            finding: None,
        }
    }
}

impl fmt::Display for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let level = match self.level {
            Level::Error => "error",
            Level::Warning => "warning",
        };
        writeln!(f, "{level}: {}", self.text)?;
        writeln!(f, "  --> {}", self.place)?;
        writeln!(f, "   |")?;
        let notes = self.notes.iter().map(|note| ("note", note));
        for (kind, text) in notes.chain(self.help.iter().map(|help| ("help", help))) {
            writeln!(f, "   = {kind}: {}", text.replace('\n', "\n           "))?;
        }
        Ok(())
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for message in &self.messages {
            writeln!(f, "{message}")?;
        }
        if !self.unrecorded.is_empty() {
            writeln!(
                f,
                "note: not in `piton.lock` as they are today: {}",
                self.unrecorded.join(", ")
            )?;
            writeln!(
                f,
                "   = help: when you release them: `PITON_LOCK=accept cargo test piton_lock`"
            )?;
        }
        Ok(())
    }
}
