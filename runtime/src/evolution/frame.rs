//! Rewrites the bytes of a saved state as the current code would have written them.

use std::borrow::Cow;

use bytes::Bytes;

use super::migrate::Migration;
use super::narrow::outstanding;
use super::plan::{self, Inside, Plan, Source, plan};
use super::{StoredDefinition, StoredState, known};
use crate::codec::{self, CodecError, Described};
use crate::machine::branches::{DONE, RUNS};
use crate::machine::frame::{FrameHead, FrameParts, add_entry, damaged, take_apart};
use crate::machine::{
    Awaited, PendingFill, PendingInline, PendingItem, PendingMap, PendingPoll, PendingWithin,
    StepError, WorkflowEntry,
};
use crate::model::{
    AwaitKind, DefinitionHash, Difference, Finding, Handle, Payload, SchemaHash, Snapshot, Wait,
};

/// Why a saved state cannot continue in this build.
#[derive(Debug)]
pub(crate) enum Unfit {
    /// This process must first learn the definition that wrote the state.
    UnknownDefinition(DefinitionHash),
    /// This process must first learn the schema of a value in the state.
    UnknownSchema(SchemaHash),
    /// The state does not fit.
    Finding(Box<Finding>),
    /// The state cannot be read.
    Damaged(StepError),
}

impl From<Finding> for Unfit {
    fn from(finding: Finding) -> Self {
        Self::Finding(Box::new(finding))
    }
}

impl From<StepError> for Unfit {
    fn from(error: StepError) -> Self {
        match error {
            StepError::Decode(CodecError::UnknownSchema(hash)) => Self::UnknownSchema(hash),
            error => Self::Damaged(error),
        }
    }
}

/// The version of a workflow that a frame belongs to. `versions` has the newest first, and is not empty.
pub(crate) fn version_of(
    frame: &[u8],
    versions: &[&'static WorkflowEntry],
) -> Result<&'static WorkflowEntry, Unfit> {
    let [newest, older @ ..] = versions else {
        return Err(Unfit::Damaged(damaged("it names no workflow")));
    };
    if older.is_empty() {
        return Ok(newest);
    }
    let hash = FrameHead::read(&mut &frame[..])?.hash;
    if let Some(own) = versions.iter().find(|entry| entry.definition().hash() == hash) {
        return Ok(own);
    }
    let version = known::find(hash).ok_or(Unfit::UnknownDefinition(hash))?.version;
    // No such version: with the newest, the plan reports the difference.
    Ok(versions.iter().find(|entry| entry.version == version).unwrap_or(newest))
}

/// Converts the state in a snapshot to this build. Returns the operations that no branch awaits any more.
pub(crate) fn evolve_snapshot(
    snapshot: &mut Snapshot,
    entry: &'static WorkflowEntry,
) -> Result<Vec<Handle>, Unfit> {
    let arguments = snapshot.operations.iter().filter_map(|(_, operation)| operation.arguments());
    if let Some(hash) = arguments.filter_map(codec::schema_of).find(|hash| codec::is_unknown(*hash))
    {
        return Err(Unfit::UnknownSchema(hash));
    }
    if snapshot.ending.is_some() {
        // The run's own code makes no more steps.
        return Ok(Vec::new());
    }
    let (evolved, given_up) = evolve(&snapshot.frame, entry, Reads::Changed)?;
    if let Some(frame) = evolved {
        let head = FrameHead::read(&mut &frame[..])?;
        snapshot.state = known::own(entry).states[head.state as usize].name.clone();
        snapshot.frame = frame.to_vec();
    }
    if !given_up.is_empty() {
        // An immediate step determines what the run waits for now.
        snapshot.wait = Wait::All(Vec::new());
    }
    Ok(given_up)
}

/// Reads all that a snapshot keeps of locals as the steps of this build would, which tells more than its schemas do: not
/// what a type refuses, nor what a tag is called.
pub(crate) fn try_locals(snapshot: &Snapshot, entry: &'static WorkflowEntry) -> Result<(), Unfit> {
    if snapshot.ending.is_some() {
        return Ok(());
    }
    evolve(&snapshot.frame, entry, Reads::All).map(|_| ())
}

/// Which of the locals are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reads {
    /// Those whose schema has changed.
    Changed,
    All,
}

/// The frame as this build would have written it, if it is not that already, and the operations of branches that are
/// gone.
fn evolve(
    frame: &[u8],
    entry: &'static WorkflowEntry,
    reads: Reads,
) -> Result<(Option<Bytes>, Vec<Handle>), Unfit> {
    let definition = entry.definition();
    let FrameHead { hash, state } = FrameHead::read(&mut &frame[..])?;
    let is_own = hash == definition.hash();
    if is_own && !definition.holds_others && reads == Reads::Changed {
        if state == 0 {
            // Another build may have stored the arguments, as those of a schedule.
            let (_, _, values) = take_apart(frame, |_| Ok(0))?;
            values.into_iter().try_for_each(check_schema)?;
        }
        return Ok((None, Vec::new()));
    }
    let now = known::own(entry);
    let before = match is_own {
        // Nested frames may come from other definitions.
        true => now,
        false => known::find(hash).ok_or(Unfit::UnknownDefinition(hash))?,
    };
    let mut evolution = Evolution { before, now, entry, reads, given_up: Vec::new() };
    let evolved = evolution.frame(frame, None)?;
    Ok(((evolved != frame).then(|| evolved.into()), evolution.given_up))
}

/// The evolution of frames of one definition.
struct Evolution {
    before: &'static StoredDefinition,
    now: &'static StoredDefinition,
    entry: &'static WorkflowEntry,
    reads: Reads,
    /// The operations of branches that are gone.
    given_up: Vec<Handle>,
}

impl Evolution {
    /// The frame of today. `inside` is set for that of an `async` block in a branch.
    fn frame(&mut self, frame: &[u8], inside: Option<&Inside>) -> Result<Vec<u8>, Unfit> {
        let parts = take_apart(frame, |head| self.before.locals_of(head))?;
        let finding = match self.planned(&parts, inside) {
            Err(Unfit::Finding(finding)) => finding,
            evolved => return evolved,
        };
        let (head, locals, _) = &parts;
        let saved = &self.before.states[head.state as usize];
        // Frames of inline workflows and branches have their own migrations.
        let is_own = finding.workflow == self.now.workflow && finding.state == saved.name;
        let migration = Migration::find(self.entry, self.before, saved);
        let Some(migration) = migration.filter(|_| is_own) else {
            return Err(Unfit::Finding(finding));
        };
        let values = saved.locals.iter().zip(locals).map(|(local, bytes)| {
            let schema = self.before.schema(local.schema);
            let schema = schema.ok_or(CodecError::UnknownSchema(local.schema))?;
            codec::read_by(bytes, schema)
        });
        let values = values.collect::<Result<_, _>>().map_err(StepError::Decode)?;
        let migrated = migration.migrate(self.entry, saved, values, inside);
        let (plan, locals) =
            migrated.map_err(|difference| Finding { difference, ..*finding.clone() })?;
        self.write(&parts, &plan, locals.into_iter().map(Cow::Owned).collect())
    }

    /// The frame of today, by its plan.
    fn planned(
        &mut self,
        parts: &FrameParts<'_>,
        inside: Option<&Inside>,
    ) -> Result<Vec<u8>, Unfit> {
        let (head, locals, _) = parts;
        let plan = plan(self.before, self.now, head.state, inside)?;
        let sources = plan.locals.iter().enumerate();
        let made = sources.map(|(number, source)| match source {
            Source::Same(old) if self.reads == Reads::Changed => Ok(Cow::Borrowed(locals[*old])),
            other => self.convert((head.state, &plan), number, other, locals).map(Cow::Owned),
        });
        let made = made.collect::<Result<_, _>>()?;
        self.write(parts, &plan, made)
    }

    /// The frame of the planned state: these locals, and the saved part of the awaited operation.
    fn write(
        &mut self,
        (head, _, operations): &FrameParts<'_>,
        plan: &Plan,
        locals: Vec<Cow<'_, [u8]>>,
    ) -> Result<Vec<u8>, Unfit> {
        let mut evolved = Vec::new();
        FrameHead { hash: self.now.hash, state: plan.state }.write(&mut evolved);
        for local in locals {
            add_entry(&mut evolved, &local);
        }
        let saved = &self.before.states[head.state as usize];
        self.operations(saved, plan, operations, &mut evolved)?;
        Ok(evolved)
    }

    /// Adds the saved operations of a state.
    fn operations(
        &mut self,
        saved: &StoredState,
        plan: &Plan,
        operations: &[&[u8]],
        evolved: &mut Vec<u8>,
    ) -> Result<(), Unfit> {
        if let Some(narrowed) = &plan.narrowed {
            let found = &self.now.states[plan.state as usize];
            let given_up = narrowed.handles_given_up(saved, operations);
            let given_up = given_up.map_err(|error| error.of(self.now, saved, found))?;
            self.given_up.extend(given_up);
            if let Some(kept) = narrowed.alone {
                let awaited = self.entry.definition().states[plan.state as usize].awaited.first();
                let operation = operations.get(kept).copied().unwrap_or_default();
                let pending = outstanding(saved, kept, operation);
                let pending = pending.map_err(|error| error.of(self.now, saved, found))?;
                add_entry(evolved, &self.alone(pending, awaited.copied())?);
                return Ok(());
            }
        }
        if plan.branches.is_empty() {
            let awaited = self.entry.definition().states[plan.state as usize].awaited.first();
            for operation in operations {
                if saved.kind == AwaitKind::Start {
                    check_schema(operation)?;
                }
                add_entry(evolved, &self.alone(operation, awaited.copied())?);
            }
            return Ok(());
        }
        let is_join = saved.kind == AwaitKind::Join;
        let mut awaited = self.entry.definition().states[plan.state as usize].awaited.iter();
        for (index, old) in plan.branches.iter().enumerate() {
            let operation = operations.get(*old).copied().unwrap_or_default();
            let is_block = self.now.states[plan.state as usize].branches[index].awaited.is_none();
            match is_block {
                true => {
                    let found = &self.now.states[plan.state as usize];
                    let inside = Inside::of((saved, *old), (found, index));
                    add_entry(evolved, &self.block(operation, &inside)?);
                }
                false => {
                    let awaited = awaited.next().copied();
                    match is_join {
                        true => add_entry(evolved, &self.joined(operation, awaited)?),
                        false => add_entry(evolved, &self.alone(operation, awaited)?),
                    }
                }
            }
        }
        Ok(())
    }

    /// The saved part of an `async` block.
    fn block(&mut self, saved: &[u8], inside: &Inside) -> Result<Vec<u8>, Unfit> {
        match saved.split_first() {
            Some((&RUNS, frame)) => {
                let mut block = vec![RUNS];
                block.extend(self.frame(frame, Some(inside))?);
                Ok(block)
            }
            // The output of the block is a payload, which has its own schema.
            Some((&DONE, given)) => check_schema(given).map(|()| saved.to_vec()),
            _ => Ok(saved.to_vec()),
        }
    }

    /// The saved part of an operation of a `join!`.
    fn joined(&mut self, saved: &[u8], awaited: Option<&Awaited>) -> Result<Vec<u8>, Unfit> {
        if saved.is_empty() {
            return Ok(Vec::new());
        }
        match awaited {
            Some(Awaited::Workflow(entry)) => {
                let item: PendingItem<PendingInline> = decode(saved)?;
                encode(&self.inline_item(item, entry())?)
            }
            // These save their state inside an item until it is done.
            Some(
                Awaited::List(_)
                | Awaited::Fill(_)
                | Awaited::Within(_)
                | Awaited::Each(_)
                | Awaited::Repeated(_),
            ) => {
                let (item, length) = codec::decode_first::<PendingItem<(), Payload>>(saved)
                    .map_err(StepError::Decode)?;
                match item {
                    PendingItem::Ready(_) => Ok(saved.to_vec()),
                    PendingItem::Pending(()) => {
                        let (head, pending) = saved.split_at(length);
                        Ok([head, &self.alone(pending, awaited)?[..]].concat())
                    }
                }
            }
            _ => Ok(saved.to_vec()),
        }
    }

    /// The saved part of an operation.
    fn alone(&mut self, saved: &[u8], awaited: Option<&Awaited>) -> Result<Vec<u8>, Unfit> {
        match awaited {
            Some(Awaited::Workflow(entry)) if !saved.is_empty() => {
                encode(&self.inline(decode(saved)?, entry())?)
            }
            Some(Awaited::Fill(inner)) if !saved.is_empty() => {
                encode(&self.fill(decode(saved)?, inner)?)
            }
            Some(Awaited::List(Awaited::Workflow(entry))) if !saved.is_empty() => {
                let items: Vec<PendingItem<PendingInline>> = decode(saved)?;
                let items = items.into_iter().map(|item| self.inline_item(item, entry()));
                encode(&items.collect::<Result<Vec<_>, _>>()?)
            }
            Some(Awaited::Within(Awaited::Workflow(entry))) if !saved.is_empty() => {
                let within: PendingWithin<PendingInline> = decode(saved)?;
                encode(&within.try_map(|pending| self.inline(pending, entry()))?)
            }
            // The calls that have not started yet must be readable when they do.
            Some(Awaited::Each(_)) if !saved.is_empty() => {
                let map: PendingMap = decode(saved)?;
                let arguments = map.into_arguments()?;
                arguments.iter().try_for_each(|it| check_schema(it.as_bytes()))?;
                Ok(saved.to_vec())
            }
            Some(Awaited::Repeated(_)) if !saved.is_empty() => {
                check_schema(decode::<PendingPoll>(saved)?.arguments().as_bytes())?;
                Ok(saved.to_vec())
            }
            // Handles, and payloads with their own schemas.
            _ => Ok(saved.to_vec()),
        }
    }

    /// The saved part of an operation that fills a promise.
    fn fill(&mut self, pending: PendingFill, inner: &Awaited) -> Result<PendingFill, Unfit> {
        let operation = self.alone(&pending.operation.0, Some(inner))?;
        Ok(PendingFill { operation: Payload(operation), ..pending })
    }

    fn inline_item(
        &mut self,
        item: PendingItem<PendingInline>,
        entry: &'static WorkflowEntry,
    ) -> Result<PendingItem<PendingInline>, Unfit> {
        Ok(match item {
            PendingItem::Pending(pending) => PendingItem::Pending(self.inline(pending, entry)?),
            PendingItem::Ready(outcome) => PendingItem::Ready(outcome),
        })
    }

    fn inline(
        &mut self,
        pending: PendingInline,
        entry: &'static WorkflowEntry,
    ) -> Result<PendingInline, Unfit> {
        Ok(match pending {
            PendingInline::Suspended(frame) => {
                let (evolved, given_up) = evolve(&frame, entry, self.reads)?;
                self.given_up.extend(given_up);
                PendingInline::Suspended(evolved.map_or(frame, |evolved| evolved.to_vec()))
            }
            PendingInline::Returned(value) => {
                check_schema(value.as_bytes())?;
                PendingInline::Returned(value)
            }
        })
    }

    /// Makes a current local from saved ones.
    fn convert(
        &self,
        (state, plan): (u32, &Plan),
        number: usize,
        source: &Source,
        locals: &[&[u8]],
    ) -> Result<Vec<u8>, Unfit> {
        let saved = &self.before.states[state as usize];
        let found = &self.now.states[plan.state as usize];
        let local = &self.entry.definition().states[plan.state as usize].locals[number];
        let value = |old: usize| {
            let schema = self.before.schema(saved.locals[old].schema);
            let schema =
                schema.ok_or_else(|| CodecError::UnknownSchema(saved.locals[old].schema))?;
            codec::read_by(locals[old], schema)
        };
        let made = match source {
            Source::Same(old) => value(*old),
            Source::Part(old, path) => value(*old).and_then(|value| value.part(path)),
            Source::Parts(parts) => {
                let parts = parts.iter().map(|(path, old)| Ok((path.as_slice(), value(*old)?)));
                parts.collect::<Result<Vec<_>, _>>().map(codec::Given::of_parts)
            }
        };
        let described: Described = local.kind.described;
        made.and_then(|value| described.convert(value)).map_err(|error| match error {
            CodecError::UnknownSchema(hash) => Unfit::UnknownSchema(hash),
            error => {
                let value = found.locals[number].name.clone();
                let difference = Difference::Unreadable { value, reason: error.to_string() };
                Unfit::from(plan::finding(self.now, saved, Some(found), difference))
            }
        })
    }
}

/// Checks that this process knows the schema of a payload in a frame: the step that reads the payload cannot load it.
fn check_schema(payload: &[u8]) -> Result<(), Unfit> {
    let unknown = codec::schema_in(payload).filter(|hash| codec::is_unknown(*hash));
    unknown.map_or(Ok(()), |hash| Err(Unfit::UnknownSchema(hash)))
}

fn decode<T: serde::de::DeserializeOwned>(saved: &[u8]) -> Result<T, Unfit> {
    codec::decode(saved).map_err(|error| StepError::Decode(error).into())
}

fn encode<T: serde::Serialize>(value: &T) -> Result<Vec<u8>, Unfit> {
    let mut out = Vec::new();
    codec::encode_into(value, &mut out).map_err(StepError::Encode)?;
    Ok(out)
}
