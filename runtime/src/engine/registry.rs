//! The workflows and activities that a worker serves, checked once when it starts.

use std::cmp::Reverse;
use std::collections::{BTreeSet, HashMap};

use crate::activities::ActivityEntry;
use crate::codec::schemas;
use crate::error::RegistryError;
use crate::evolution;
use crate::machine::WorkflowEntry;
use crate::model::SchemaHash;

/// Workflows and activities, by stored name.
#[derive(Debug)]
pub(crate) struct Registry {
    /// All versions of each, the newest first.
    workflows: HashMap<&'static str, Vec<&'static WorkflowEntry>>,
    /// Former names of workflows, with the present names.
    former_names: HashMap<&'static str, &'static str>,
    activities: HashMap<&'static str, &'static ActivityEntry>,
    workflow_names: Vec<&'static str>,
    activity_names: Vec<&'static str>,
}

impl Registry {
    /// All workflows and activities linked into the program.
    ///
    /// # Errors
    /// See [`RegistryError`].
    pub(crate) fn linked() -> Result<Self, RegistryError> {
        Self::new(WorkflowEntry::all(), ActivityEntry::all())
    }

    /// These workflows and activities.
    ///
    /// # Errors
    /// See [`RegistryError`].
    pub(crate) fn new(
        workflows: impl IntoIterator<Item = &'static WorkflowEntry>,
        activities: impl IntoIterator<Item = &'static ActivityEntry>,
    ) -> Result<Self, RegistryError> {
        let mut registry = Self {
            workflows: HashMap::new(),
            former_names: HashMap::new(),
            activities: HashMap::new(),
            workflow_names: Vec::new(),
            activity_names: Vec::new(),
        };
        for entry in workflows {
            registry.add_workflow(entry)?;
            let problems: Vec<_> = entry.definition().problems().collect();
            if !problems.is_empty() {
                return Err(RegistryError::CannotBeSaved { workflow: entry.name, problems });
            }
        }
        for entry in activities {
            if let Some(other) = registry.activities.insert(entry.name, entry) {
                let places = in_order([activity_place(other), activity_place(entry)]);
                return Err(RegistryError::DuplicateActivity { name: entry.name, places });
            }
            let problems = entry.problems();
            if !problems.is_empty() {
                return Err(RegistryError::CannotBeStored { activity: entry.name, problems });
            }
        }
        registry.add_former_names()?;
        let names = registry.workflows.keys().chain(registry.former_names.keys());
        registry.workflow_names = names.copied().collect();
        registry.workflow_names.sort_unstable();
        registry.activity_names = registry.activities.keys().copied().collect();
        registry.activity_names.sort_unstable();
        Ok(registry)
    }

    /// Whether there is neither a workflow nor an activity.
    pub(crate) fn is_empty(&self) -> bool {
        self.workflows.is_empty() && self.activities.is_empty()
    }

    /// Adds a workflow, unless its name and version are taken.
    fn add_workflow(&mut self, entry: &'static WorkflowEntry) -> Result<(), RegistryError> {
        let versions = self.workflows.entry(entry.name).or_default();
        if let Some(other) = versions.iter().find(|other| other.version == entry.version) {
            let places = in_order([workflow_place(other), workflow_place(entry)]);
            return Err(RegistryError::DuplicateWorkflow { name: entry.name, places });
        }
        versions.push(entry);
        versions.sort_unstable_by_key(|entry| Reverse(entry.version));
        Ok(())
    }

    /// Adds the former names of workflows, unless another workflow has or had one of them.
    fn add_former_names(&mut self) -> Result<(), RegistryError> {
        for entry in self.workflows.values().flatten() {
            for name in entry.formerly.iter().copied() {
                let former = self.former_names.insert(name, entry.name);
                let former = former.filter(|other| *other != entry.name);
                let other = self.workflows.get(former.unwrap_or(name));
                if let Some(other) = other.and_then(|versions| versions.first()) {
                    let places = in_order([workflow_place(other), workflow_place(entry)]);
                    return Err(RegistryError::FormerName { name, places });
                }
            }
        }
        Ok(())
    }

    /// The newest version of the workflow with this present or former name.
    pub(crate) fn workflow(&self, name: &str) -> Option<&'static WorkflowEntry> {
        self.versions(name).first().copied()
    }

    /// All versions of the workflow with this present or former name, the newest first.
    pub(crate) fn versions(&self, name: &str) -> &[&'static WorkflowEntry] {
        let name = self.former_names.get(name).copied().unwrap_or(name);
        self.workflows.get(name).map_or(&[], Vec::as_slice)
    }

    /// The activity of this name.
    pub(crate) fn activity(&self, name: &str) -> Option<&'static ActivityEntry> {
        self.activities.get(name).copied()
    }

    /// All activities.
    pub(crate) fn activities(&self) -> impl Iterator<Item = &'static ActivityEntry> {
        self.activities.values().copied()
    }

    /// The present and former names of all workflows, in order.
    pub(crate) fn workflow_names(&self) -> &[&'static str] {
        &self.workflow_names
    }

    /// All activities, in the order of their names.
    pub(crate) fn activities_in_order(&self) -> impl Iterator<Item = &'static ActivityEntry> {
        self.activity_names.iter().filter_map(|name| self.activity(name))
    }

    /// Removes the workflows.
    pub(crate) fn without_workflows(self) -> Self {
        Self {
            workflows: HashMap::new(),
            former_names: HashMap::new(),
            workflow_names: Vec::new(),
            ..self
        }
    }

    /// All versions of all workflows, in the order of their names.
    pub(crate) fn workflows(&self) -> impl Iterator<Item = &'static WorkflowEntry> {
        let all = self.workflow_names.iter().filter_map(|name| self.workflows.get(name));
        all.flatten().copied()
    }

    /// The schemas of the arguments and results of workflows, including those awaited by others, and of activities.
    pub(crate) fn schemas(&self) -> Vec<SchemaHash> {
        let of_workflow = |entry: &'static WorkflowEntry| {
            let definition = entry.definition();
            [schemas::of_arguments(definition.parameters).hash, definition.returned.hash]
        };
        let of_activity = |entry: &'static ActivityEntry| {
            let returned = schemas::of_type(entry.returned).hash;
            [schemas::of_arguments(entry.parameters).hash, returned]
        };
        let workflows = evolution::with_awaited(self.workflows());
        let workflows = workflows.into_iter().flat_map(of_workflow);
        let all = workflows.chain(self.activities_in_order().flat_map(of_activity));
        all.collect::<BTreeSet<_>>().into_iter().collect()
    }
}

/// The source location of the workflow, where its graph begins.
fn workflow_place(entry: &WorkflowEntry) -> String {
    let nodes = entry.graph.nodes();
    nodes.first().map_or_else(|| place("", 0), |start| place(start.file, start.line))
}

/// The source location of the activity.
fn activity_place(entry: &ActivityEntry) -> String {
    let (file, line) = entry.place;
    place(file, line)
}

fn place(file: &str, line: u32) -> String {
    // Implementations without a macro have no location.
    if file.is_empty() { "an unknown place".to_owned() } else { format!("{file}:{line}") }
}

/// The linker determines the order of entries; error messages should not depend on it.
fn in_order(mut places: [String; 2]) -> [String; 2] {
    places.sort_unstable();
    places
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;
    use std::marker::PhantomData;

    use serde::de::DeserializeOwned;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use super::*;
    use crate::codec::Described;
    use crate::generated::{ArgumentKind, Halt, Outcomes, Parked, Plain, StepOf, Values};
    use crate::machine::{Activity, Context, Durable, Workflow};
    use crate::model::Graph;

    /// A workflow that returns a `T`, in one of two files.
    struct Order<T, const COPIED: bool = false>(PhantomData<T>);

    impl<T: Durable + 'static, const COPIED: bool> Workflow for Order<T, COPIED> {
        type Return = T;
        type Output = T;
        type Error = Infallible;
        type Shape = Plain;
        type Unit = Self;
        const GRAPH: &'static Graph = &Graph::new(
            "order",
            if COPIED { "src/copy.rs" } else { "src/order.rs" },
            "start\tstart\t7\tend\t1/1/00000000\t\t\n",
        );

        const ARGUMENTS: &'static [ArgumentKind] = &[];
        const RETURNED: &'static Values<T> = Values::of();
    }

    impl<T: Durable + 'static, const COPIED: bool> StepOf<Self> for Order<T, COPIED> {
        type Return = T;

        fn step(_: &mut Parked, _: &Context) -> Result<T, Halt> {
            Err(Halt::Suspended)
        }
    }

    static SOUND: WorkflowEntry = WorkflowEntry::of::<Order<u64>>();
    static COPY: WorkflowEntry = WorkflowEntry::of::<Order<u64, true>>();
    static UNSOUND: WorkflowEntry = WorkflowEntry::of::<Order<Torn>>();

    /// A type that cannot be deserialized from what it serializes.
    struct Torn;

    impl Serialize for Torn {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            serializer.serialize_str("torn")
        }
    }

    impl<'de> Deserialize<'de> for Torn {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            u8::deserialize(deserializer).map(|_| Self)
        }
    }

    #[test]
    fn names_must_not_clash() {
        let registry = Registry::new([&SOUND], []).expect("one alone is fine");
        assert_eq!(registry.workflow_names(), ["order"]);
        let refused = Registry::new([&SOUND, &COPY], []).expect_err("two are not");
        assert_eq!(
            refused.to_string(),
            "two workflows are named `order`, at src/copy.rs:7 and at src/order.rs:7: rename one with \
             `#[workflow(name = \"…\")]`"
        );
    }

    /// An activity of a name that is defined on some line.
    struct Charge<const LINE: u32>;

    impl<const LINE: u32> Activity for Charge<LINE> {
        type Return = ();
        type Output = ();
        type Error = Infallible;
        const NAME: &'static str = "charge";
        const PLACE: (&'static str, u32) = ("src/charge.rs", LINE);
        const ARGUMENTS: &'static [ArgumentKind] = &[];
        const OUTCOMES: &'static Outcomes<(), (), Infallible> = Outcomes::of();
    }

    /// An activity that gives a value of this type.
    struct Read<T>(PhantomData<T>);

    impl<T: Serialize + DeserializeOwned + Send + 'static> Activity for Read<T> {
        type Return = T;
        type Output = T;
        type Error = Infallible;
        const NAME: &'static str = "read";
        const PLACE: (&'static str, u32) = ("src/read.rs", 3);
        const ARGUMENTS: &'static [ArgumentKind] =
            &[ArgumentKind::of(Described::of::<u64>()), ArgumentKind::of(Described::of::<T>())];
        const OUTCOMES: &'static Outcomes<T, T, Infallible> = Outcomes::of();
    }

    #[test]
    fn a_type_of_an_activity_that_cannot_be_stored_is_named() {
        static SOUND: ActivityEntry = ActivityEntry::of::<Read<u64>>();
        static UNSOUND: ActivityEntry = ActivityEntry::of::<Read<Torn>>();
        Registry::new([], [&SOUND]).expect("it reads back");
        let refused = Registry::new([], [&UNSOUND]).expect_err("it does not read back");
        let message = refused.to_string();
        for part in ["argument 2 of the activity `read`", "the result of", "registry::tests::Torn"]
        {
            assert!(message.contains(part), "{part} is missing in: {message}");
        }
        assert!(!message.contains("argument 1"), "{message}");
    }

    static CHARGE: ActivityEntry = ActivityEntry::of::<Charge<3>>();
    static OTHER_CHARGE: ActivityEntry = ActivityEntry::of::<Charge<9>>();

    #[test]
    fn an_error_names_the_places_of_both_activities() {
        for [one, other] in [[&CHARGE, &OTHER_CHARGE], [&OTHER_CHARGE, &CHARGE]] {
            let refused = Registry::new([], [one, other]).expect_err("they have one name");
            assert_eq!(
                refused.to_string(),
                "two activities are named `charge`, at src/charge.rs:3 and at src/charge.rs:9: rename one \
                 with `#[activity(name = \"…\")]`"
            );
        }
    }

    #[test]
    fn a_type_that_cannot_be_saved_is_named_with_a_way_out() {
        let refused = Registry::new([&UNSOUND], []).expect_err("it does not read back");
        let message = refused.to_string();
        for part in ["order", "`return value`", "registry::tests::Torn", "change one of them"] {
            assert!(message.contains(part), "{part} is missing in: {message}");
        }
    }
}
