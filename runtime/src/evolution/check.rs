//! Predicts, without a run, whether saved states can continue in this build.

use std::cell::RefCell;

use super::migrate::Migration;
use super::plan::{Inside, Plan, Source, finding, prefix};
use super::{StoredAwaited, StoredDefinition, StoredParameter, StoredState, known, plan};
use crate::codec::schemas::{self, match_parameters};
use crate::codec::{
    self, ArgumentKind, CodecError, Content, Described, Format, Given, NamedType, holds,
};
use crate::machine::{Awaited, WorkflowEntry};
use crate::model::{AwaitKind, Difference, Finding, SchemaHash};

/// Something about a saved state that does not fit this build, or may not.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Concern {
    /// What does not fit.
    pub finding: Finding,
    /// Whether it depends on the saved values: only some of them fit, or the schema alone does not decide.
    pub depends_on_value: bool,
    /// The number of the state.
    pub state: u32,
}

/// Returns what does not fit this build in the states of an earlier definition of its workflow.
pub fn check(before: &StoredDefinition, entry: &'static WorkflowEntry) -> Vec<Concern> {
    check_with_awaited(before, entry).0
}

/// A workflow that a state awaited as a part of this one, and the one that it awaits there now.
pub(crate) type AwaitedWorkflow<'a> = (&'a StoredAwaited, &'static WorkflowEntry);

/// Like [`check`]. Also returns the workflows in which runs that are in one continue, unless the definition is the
/// present one.
pub(crate) fn check_with_awaited<'a>(
    before: &'a StoredDefinition,
    entry: &'static WorkflowEntry,
) -> (Vec<Concern>, Vec<AwaitedWorkflow<'a>>) {
    let check = Check { before, now: known::own(entry), entry, awaited: RefCell::default() };
    let mut concerns = Vec::new();
    if before.hash != check.now.hash {
        for state in check.states_in(None) {
            check.state(state, None, &mut concerns);
        }
    }
    (concerns, check.awaited.into_inner())
}

/// A state and the number of one of its branches, an `async` block.
type Within = (u32, usize);

struct Check<'a> {
    before: &'a StoredDefinition,
    now: &'static StoredDefinition,
    entry: &'static WorkflowEntry,
    awaited: RefCell<Vec<AwaitedWorkflow<'a>>>,
}

impl<'a> Check<'a> {
    /// The states directly in this branch, or outside any branch. A branch that has not begun has no saved state.
    fn states_in(&self, within: Option<Within>) -> Vec<u32> {
        let states = (0..).zip(&self.before.states);
        let states =
            states.filter(|(number, state)| *number == 0 || state.kind != AwaitKind::Start);
        let states = states.map(|(number, _)| number);
        states.filter(|state| self.branch_of(*state) == within).collect()
    }

    /// The branch that a state is in.
    fn branch_of(&self, state: u32) -> Option<Within> {
        let name = &self.before.states[state as usize].name;
        let states = (0..).zip(&self.before.states);
        let branches = states.flat_map(|(number, state)| {
            let blocks = state.branches.iter().enumerate();
            let blocks = blocks.filter(|(_, branch)| branch.awaited.is_none());
            blocks.map(move |(branch, _)| (number, branch, prefix(&state.name, branch)))
        });
        let around = branches.filter(|(_, _, prefix)| name.starts_with(prefix));
        let nearest = around.max_by_key(|(_, _, prefix)| prefix.len());
        nearest.map(|(number, branch, _)| (number, branch))
    }

    /// Checks a state, and those in its branches.
    fn state(&self, state: u32, inside: Option<&Inside>, concerns: &mut Vec<Concern>) {
        let mut found = Vec::new();
        self.planned(state, inside, &mut found);
        let saved = &self.before.states[state as usize];
        let migration = Migration::find(self.entry, self.before, saved);
        let Some(migration) = migration.filter(|_| found.iter().any(|found| found.state == state))
        else {
            return concerns.append(&mut found);
        };
        let own = found.extract_if(.., |found| found.state == state).collect();
        concerns.append(&mut found);
        concerns.extend(self.migrated(migration, own, inside));
    }

    /// Removes the concerns that a state's migration resolves.
    fn migrated(
        &self,
        migration: &Migration,
        concerns: Vec<Concern>,
        inside: Option<&Inside>,
    ) -> Vec<Concern> {
        let Some(first) = concerns.first() else { return concerns };
        let saved = &self.before.states[first.state as usize];
        let of = |difference, depends_on_value| {
            let finding = Finding { difference, ..first.finding.clone() };
            vec![Concern { finding, depends_on_value, state: first.state }]
        };
        let columns = saved.locals.iter().map(|local| self.samples(local.schema));
        let columns: Vec<_> = match columns.collect() {
            Ok(columns) => columns,
            Err(Tried { reason, .. }) => return of(Difference::Migration { reason }, true),
        };
        let rows = columns.iter().map(Vec::len).max().unwrap_or(1);
        let (mut failure, mut any_fits, mut is_narrowed) = (None, false, false);
        for row in 0..rows {
            let values = columns.iter().map(|samples| samples[row % samples.len()].clone());
            match migration.migrate(self.entry, saved, values.collect(), inside) {
                Ok((plan, _)) => {
                    any_fits = true;
                    is_narrowed |= plan.narrowed.is_some();
                }
                Err(difference) => failure = failure.or(Some(difference)),
            }
        }
        if failure.is_none() && is_narrowed && saved.kind == AwaitKind::Join {
            let reason =
                "a branch may have given its outcome, which no other state takes".to_owned();
            return of(Difference::Migration { reason }, true);
        }
        failure.map_or_else(Vec::new, |difference| of(difference, any_fits))
    }

    /// Checks a state and the states in its branches, as if it had no migration.
    fn planned(&self, state: u32, inside: Option<&Inside>, concerns: &mut Vec<Concern>) {
        let plan = match plan(self.before, self.now, state, inside) {
            Ok(plan) => plan,
            Err(finding) => {
                concerns.push(Concern { finding, depends_on_value: false, state });
                return;
            }
        };
        let saved = &self.before.states[state as usize];
        let found = &self.now.states[plan.state as usize];
        let mut note = |value: String, tried: Result<(), Tried>| {
            let Err(Tried { reason, depends_on_value }) = tried else { return };
            let difference = Difference::Unreadable { value, reason };
            let finding = finding(self.now, saved, Some(found), difference);
            concerns.push(Concern { finding, depends_on_value, state });
        };
        for (number, source) in plan.locals.iter().enumerate() {
            note(found.locals[number].name.clone(), self.local(saved, &plan, number, source));
            self.handles(saved, &plan, number, source, &mut note);
        }
        if saved.kind == AwaitKind::Start {
            let name = &self.now.workflow;
            self.call(name, &self.before.parameters, self.entry.definition().parameters, &mut note);
        }
        for (old, now) in self.awaited(saved, &plan) {
            self.operation(old, now, &mut note);
            let workflows = Some(old.innermost()).zip(now.workflow());
            self.awaited.borrow_mut().extend(workflows);
        }
        for (branch, old) in plan.branches.iter().enumerate() {
            if found.branches[branch].awaited.is_none() {
                let inside = Inside::of((saved, *old), (found, branch));
                for state in self.states_in(Some((state, *old))) {
                    self.state(state, Some(&inside), concerns);
                }
            }
        }
    }

    /// The operations that a state awaits, as saved and in this build.
    fn awaited(
        &self,
        saved: &'a StoredState,
        plan: &Plan,
    ) -> Vec<(&'a StoredAwaited, &'static Awaited)> {
        let mut awaited = self.entry.definition().states[plan.state as usize].awaited.iter();
        if plan.branches.is_empty() {
            return saved.awaited.iter().zip(awaited.copied()).collect();
        }
        let old = plan.branches.iter().filter_map(|old| saved.branches[*old].awaited.as_ref());
        old.zip(awaited.by_ref().copied()).collect()
    }

    /// Tries to read the outcomes of the handles in a local. Every concern depends on the run: it may never await the
    /// handle, or the outcome may fit.
    fn handles(
        &self,
        saved: &StoredState,
        plan: &Plan,
        number: usize,
        source: &Source,
        note: &mut impl FnMut(String, Result<(), Tried>),
    ) {
        let old: Vec<usize> = match source {
            Source::Same(old) | Source::Part(old, _) => vec![*old],
            Source::Parts(parts) => parts.iter().map(|(_, old)| *old).collect(),
        };
        let found = &self.now.states[plan.state as usize].locals[number];
        let defined = &self.entry.definition().states[plan.state as usize].locals[number];
        for (stored, now) in found.handles.iter().zip(&defined.handles) {
            let old = old.iter().flat_map(|old| &saved.locals[*old].handles);
            let same = old.filter(|old| old.is_same_as(stored)).map(|old| {
                let mut notes = Vec::new();
                self.operation(old, now, &mut |what, tried: Result<(), Tried>| {
                    notes.extend(tried.err().map(|tried| (what, tried)));
                });
                notes
            });
            // The types do not say which handle of the struct it is.
            let best = same.min_by_key(Vec::len).unwrap_or_default();
            for (what, tried) in best {
                note(what, Err(Tried { depends_on_value: true, ..tried }));
            }
        }
    }

    /// Tries to read the arguments and the outcome of an operation.
    fn operation(
        &self,
        old: &StoredAwaited,
        now: &Awaited,
        note: &mut impl FnMut(String, Result<(), Tried>),
    ) {
        match (old, now) {
            (
                StoredAwaited::Activity { name, parameters, returned },
                Awaited::Activity { arguments, returned: now, .. },
            ) => {
                // It may not have returned yet.
                let tried = self.outcome(*returned, *now);
                let tried = tried.map_err(|tried| Tried { depends_on_value: true, ..tried });
                note(format!("the result of `{name}`"), tried);
                self.call(name, parameters, arguments, note);
            }
            (StoredAwaited::Signal { name, value, .. }, Awaited::Signal { value: now, .. }) => {
                // Nothing need have been sent yet.
                let tried = self.payload(*value, *now);
                let tried = tried.map_err(|tried| Tried { depends_on_value: true, ..tried });
                note(format!("the signal `{name}`"), tried);
            }
            (StoredAwaited::Update { name, value, .. }, Awaited::Update { value: now, .. }) => {
                // Nothing need have been sent yet.
                let tried = self.payload(*value, *now);
                let tried = tried.map_err(|tried| Tried { depends_on_value: true, ..tried });
                note(format!("the update `{name}`"), tried);
            }
            (StoredAwaited::Child { name, returned, .. }, Awaited::Child { returned: now, .. }) => {
                // The child may not have ended yet.
                let tried = self.payload(*returned, *now);
                let tried = tried.map_err(|tried| Tried { depends_on_value: true, ..tried });
                note(format!("the result of the child, a run of `{name}`"), tried);
            }
            (
                StoredAwaited::Promise { resolved, rejected, .. },
                Awaited::Promise { resolved: value, rejected: error, .. },
            ) => {
                for (what, old, now) in [("value", *resolved, *value), ("error", *rejected, *error)]
                {
                    // The promise may not have been completed yet.
                    let tried = self.payload(old, now);
                    let tried = tried.map_err(|tried| Tried { depends_on_value: true, ..tried });
                    note(format!("the {what} of the promise"), tried);
                }
            }
            (StoredAwaited::List(old), Awaited::List(now))
            | (StoredAwaited::Fill(old), Awaited::Fill(now))
            | (StoredAwaited::Within(old), Awaited::Within(now))
            | (StoredAwaited::Each(old), Awaited::Each(now))
            | (StoredAwaited::Repeated(old), Awaited::Repeated(now)) => {
                self.operation(old, now, note);
            }
            _ => {}
        }
    }

    /// Tries to read the arguments of a call.
    fn call(
        &self,
        name: &str,
        old: &[StoredParameter],
        now: &[ArgumentKind],
        note: &mut impl FnMut(String, Result<(), Tried>),
    ) {
        let before =
            old.iter().map(|parameter| (&*parameter.name, self.before.schema(parameter.schema)));
        let before: Vec<_> = before.collect();
        let names: Vec<&str> = now.iter().map(|kind| kind.name).collect();
        let places = match match_parameters(&before, &names) {
            Ok(places) => places,
            Err(reason) => {
                let tried = Err(Tried { reason, depends_on_value: false });
                return note(format!("the call of `{name}`"), tried);
            }
        };
        for (number, (place, now)) in (1..).zip(places.into_iter().zip(now)) {
            let tried = self.payload(old[place].schema, now.described);
            note(format!("argument {number} of `{name}`"), tried);
        }
    }

    /// Tries to read values of a schema as a type.
    fn payload(&self, old: SchemaHash, now: Described) -> Result<(), Tried> {
        if schemas::of_type(now).hash == old {
            return Ok(());
        }
        let samples = self.samples(old)?;
        let tried = tried(samples.into_iter().map(|sample| now.convert(sample)));
        self.unless_open(old, now, tried)
    }

    /// Like [`Self::payload`], for what a call gave.
    fn outcome(&self, old: SchemaHash, now: Described) -> Result<(), Tried> {
        if schemas::of_type(now).hash == old {
            return Ok(());
        }
        let samples = self.samples(old)?.into_iter();
        let adapted = samples.flat_map(|sample| codec::adapted(vec![sample], Some(now)));
        let tried = tried(adapted.map(|sample| now.convert(sample)));
        self.unless_open(old, now, tried)
    }

    /// Tries to make a current local from saved ones.
    fn local(
        &self,
        saved: &StoredState,
        plan: &Plan,
        number: usize,
        source: &Source,
    ) -> Result<(), Tried> {
        let local = &self.entry.definition().states[plan.state as usize].locals[number];
        let described = local.kind.described;
        match source {
            Source::Same(old) => {
                let schema = saved.locals[*old].schema;
                let before = self.before.schema(schema);
                let is_other = before.is_some_and(|before| {
                    before.type_name != schemas::of_type(described).schema.type_name
                });
                // Another type of the same form may refuse some of the values.
                match self.samples(schema) {
                    Ok(samples) if is_other => {
                        let tried =
                            tried(samples.into_iter().map(|sample| described.convert(sample)));
                        self.unless_open(schema, described, tried)
                    }
                    _ => Ok(()),
                }
            }
            Source::Part(old, path) => {
                let samples = self.samples(saved.locals[*old].schema)?.into_iter();
                let tried = tried(samples.map(|sample| described.convert(sample.part(path)?)));
                self.unless_open(saved.locals[*old].schema, described, tried)
            }
            Source::Parts(parts) => {
                let columns = parts.iter().map(|(path, old)| {
                    Ok((path.as_slice(), self.samples(saved.locals[*old].schema)?))
                });
                let columns = columns.collect::<Result<Vec<_>, Tried>>()?;
                let rows = columns.iter().map(|(_, samples)| samples.len()).max().unwrap_or(0);
                tried((0..rows).map(|row| {
                    let parts = columns
                        .iter()
                        .map(|(path, samples)| (*path, samples[row % samples.len()].clone()));
                    described.convert(Given::of_parts(parts.collect()))
                }))
            }
        }
    }

    /// Leaves it to the values where lists and maps are in them, or texts that become enums or texts of some form: some
    /// length, some keys or some text may fit that no sample has.
    fn unless_open(
        &self,
        schema: SchemaHash,
        now: Described,
        tried: Result<(), Tried>,
    ) -> Result<(), Tried> {
        let now = schemas::of_type(now).schema.format.as_ref();
        let is_enum = |named: &NamedType| matches!(named.content, Content::Enum(_));
        let is_text = |format: &Format| matches!(format, Format::Str | Format::Char);
        let takes_some_texts =
            now.is_none_or(|now| now.1.iter().any(is_enum) || holds(now, &is_text));
        let is_open = |format: &Format| match format {
            Format::Seq(_) | Format::Set(_) | Format::Map(..) => true,
            Format::Str => takes_some_texts,
            _ => false,
        };
        let format = self.before.schema(schema).and_then(|schema| schema.format.as_ref());
        let is_open = format.is_none_or(|format| holds(format, &is_open));
        tried
            .map_err(|tried| Tried { depends_on_value: tried.depends_on_value || is_open, ..tried })
    }

    /// Some values of a schema; at least one.
    fn samples(&self, schema: SchemaHash) -> Result<Vec<Given>, Tried> {
        let known = self.before.schema(schema);
        let samples = known.map(Given::samples).unwrap_or_default();
        let reason = || {
            "its old type does not describe its values, so only the saved value decides".to_owned()
        };
        match samples.is_empty() {
            true => Err(Tried { reason: reason(), depends_on_value: true }),
            false => Ok(samples),
        }
    }
}

/// Why values do not fit, and whether others may.
struct Tried {
    reason: String,
    depends_on_value: bool,
}

fn tried(results: impl Iterator<Item = Result<Vec<u8>, CodecError>>) -> Result<(), Tried> {
    let (mut failure, mut any_fits) = (None, false);
    for result in results {
        match result {
            Ok(_) => any_fits = true,
            Err(error) => failure = failure.or_else(|| Some(error.to_string())),
        }
    }
    match failure {
        Some(reason) => Err(Tried { reason, depends_on_value: any_fits }),
        None => Ok(()),
    }
}
