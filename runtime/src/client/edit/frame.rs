//! A frame during an edit.

use serde_json::{Map, Value as Json};

use crate::codec::{self, CodecError, Schema};
use crate::error::EditError;
use crate::evolution::{
    self, StoredAwaited, StoredDefinition, StoredParameter, StoredState, written,
};
use crate::machine::StepError;
use crate::machine::frame::{FrameHead, add_entry, damaged, take_apart};
use crate::model::{DefinitionHash, SchemaHash};

/// The parts of a frame.
pub(super) struct Frame {
    pub(super) definition: &'static StoredDefinition,
    pub(super) state: u32,
    pub(super) locals: Vec<Vec<u8>>,
    pub(super) operations: Vec<Vec<u8>>,
}

impl Frame {
    /// Reads a frame whose definition is loaded.
    pub(super) fn read(frame: &[u8]) -> Result<Self, StepError> {
        let definition = evolution::find(Self::definition_of(frame)?);
        let definition = definition.ok_or_else(|| damaged("its definition is not known"))?;
        let (head, locals, operations) = take_apart(frame, |head| definition.locals_of(head))?;
        let owned = |entries: Vec<&[u8]>| entries.into_iter().map(<[u8]>::to_vec).collect();
        let (locals, operations) = (owned(locals), owned(operations));
        Ok(Self { definition, state: head.state, locals, operations })
    }

    /// The definition of a frame.
    pub(super) fn definition_of(frame: &[u8]) -> Result<DefinitionHash, StepError> {
        Ok(FrameHead::read(&mut &frame[..])?.hash)
    }

    pub(super) fn write(&self) -> Vec<u8> {
        let mut frame = Vec::new();
        FrameHead { hash: self.definition.hash, state: self.state }.write(&mut frame);
        for entry in self.locals.iter().chain(&self.operations) {
            add_entry(&mut frame, entry);
        }
        frame
    }

    pub(super) fn state(&self) -> &'static StoredState {
        &self.definition.states[self.state as usize]
    }

    /// Sets a variable, or a part of one.
    pub(super) fn set(&mut self, variable: &str, value: &Json) -> Result<(), EditError> {
        let state = self.state();
        // The one with the longest name: a part of a variable may be kept by itself.
        let ends = variable.match_indices('.').map(|(end, _)| end).chain([variable.len()]);
        let place = ends.rev().find_map(|end| {
            let locals = state.locals.iter().map(|local| &*local.name);
            Some((written(&variable[..end], locals)?, &variable[end..]))
        });
        let Some((number, path)) = place else {
            let root = variable.split('.').next().unwrap_or_default();
            let is_argument = |parameter: &StoredParameter| parameter.name == root;
            if self.state == 0 && self.definition.parameters.iter().any(is_argument) {
                return Err(EditError::Argument { name: root.to_owned() });
            }
            return Err(EditError::NoVariable {
                state: state.name.clone(),
                variable: variable.to_owned(),
                known: state.locals.iter().map(|local| local.name.clone()).collect(),
            });
        };
        let path: Vec<_> = path.split('.').skip(1).collect();
        let local = &state.locals[number];
        let saved = &self.locals[number];
        let written = with_schema(self.definition, local.schema, variable, |schema| {
            codec::json_to_part(saved, schema, &path, value)
        });
        self.locals[number] = written?;
        Ok(())
    }

    /// Changes the state and its locals: those given, and otherwise those that are already saved. The caller sets
    /// what is awaited.
    pub(super) fn move_to(
        &mut self,
        name: &str,
        given: &Map<String, Json>,
    ) -> Result<(), EditError> {
        let definition = self.definition;
        let found = (0..).zip(&definition.states).find(|(_, state)| state.name == name);
        let Some((number, state)) = found else {
            return Err(EditError::NoState {
                state: name.to_owned(),
                known: definition.states.iter().map(|state| state.name.clone()).collect(),
            });
        };
        if let Some(variable) =
            given.keys().find(|key| !state.locals.iter().any(|local| local.name == **key))
        {
            return Err(EditError::NoVariable {
                state: state.name.clone(),
                variable: variable.clone(),
                known: state.locals.iter().map(|local| local.name.clone()).collect(),
            });
        }
        let mut locals = Vec::new();
        let mut missing = Vec::new();
        for local in &state.locals {
            let kept = self.state().locals.iter().position(|old| {
                old.name == local.name && old.schema == local.schema && old.place == local.place
            });
            match (given.get(&local.name), kept) {
                (Some(value), _) => {
                    let write = |schema: &Schema| codec::json_to_saved(value, schema);
                    locals.push(with_schema(definition, local.schema, &local.name, write)?);
                }
                (None, Some(kept)) => locals.push(self.locals[kept].clone()),
                (None, None) => missing.push(format!("`{}`", local.name)),
            }
        }
        if !missing.is_empty() {
            return Err(EditError::CannotMove {
                state: state.name.clone(),
                reason: format!("it keeps {}, of which no value is given", missing.join(", ")),
            });
        }
        (self.state, self.locals) = (number, locals);
        Ok(())
    }
}

/// What the state awaits, if that is a single operation outside of branches.
pub(super) fn only_awaited<'a>(
    definition: &'a StoredDefinition,
    state: &'a StoredState,
) -> Option<&'a StoredAwaited> {
    let is_inside = |outer: &StoredState| {
        let inner = state.name.strip_prefix(outer.name.as_str());
        !outer.branches.is_empty() && inner.is_some_and(|rest| rest.starts_with('.'))
    };
    let is_alone = state.branches.is_empty() && !definition.states.iter().any(is_inside);
    state.awaited.as_ref().filter(|_| is_alone)
}

/// Encodes a value by a schema of the definition.
pub(super) fn with_schema<T>(
    definition: &StoredDefinition,
    hash: SchemaHash,
    name: &str,
    write: impl FnOnce(&Schema) -> Result<T, CodecError>,
) -> Result<T, EditError> {
    let schema = definition.schema(hash);
    let refused = |type_name: String, reason: String| EditError::Value {
        name: name.to_owned(),
        type_name,
        reason,
    };
    let schema = schema
        .ok_or_else(|| refused("unknown".to_owned(), "the database lacks its schema".to_owned()))?;
    write(schema).map_err(|error| {
        let reason = match error {
            CodecError::Encode { reason, .. } => reason,
            error => error.to_string(),
        };
        refused(schema.short_name(), reason)
    })
}
