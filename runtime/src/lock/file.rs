//! The text of a lock file: JSON with one line for each state, local and schema, so that each change shows as one
//! changed line.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::Lock;
use crate::codec::Schema;
use crate::evolution::{StoredDefinition, StoredState};

/// The value of `piton_lock` in a file.
const FORMAT: u32 = 1;

#[derive(Deserialize)]
struct File {
    piton_lock: u32,
    definitions: Vec<StoredDefinition>,
    /// The schemas of all definitions.
    schemas: BTreeMap<String, Schema>,
}

pub(super) fn read(text: &str) -> Result<Lock, String> {
    let file: File = serde_json::from_str(text).map_err(|error| error.to_string())?;
    if file.piton_lock != FORMAT {
        return Err(format!(
            "it is of the format {} and this is piton for {FORMAT}",
            file.piton_lock
        ));
    }
    let mut definitions = file.definitions;
    for definition in &mut definitions {
        for hash in definition.named_schemas() {
            let hash = hash.to_string();
            let schema = file.schemas.get(&hash);
            let schema = schema.ok_or_else(|| {
                format!(
                    "it names the schema {hash} (in `{}`) and does not have it",
                    definition.workflow
                )
            })?;
            definition.schemas.insert(hash, schema.clone());
        }
    }
    Ok(Lock { definitions })
}

pub(super) fn write(lock: &Lock) -> String {
    let mut schemas = BTreeMap::new();
    let definitions = lock.definitions.iter().map(|definition| {
        for (hash, schema) in &definition.schemas {
            schemas.entry(hash).or_insert_with(|| format!("{hash:?}: {}", json(schema)));
        }
        write_definition(definition)
    });
    let definitions: Vec<_> = definitions.collect();
    let mut text = String::from("{\n");
    text.push_str(&format!("  \"piton_lock\": {FORMAT},\n"));
    text.push_str(&format!("  \"definitions\": {},\n", lines('[', &definitions, 2)));
    let schemas: Vec<_> = schemas.into_values().collect();
    text.push_str(&format!("  \"schemas\": {}\n}}\n", lines('{', &schemas, 2)));
    text
}

fn write_definition(definition: &StoredDefinition) -> String {
    let states: Vec<_> = definition.states.iter().map(write_state).collect();
    let head =
        StoredDefinition { states: Vec::new(), schemas: BTreeMap::new(), ..definition.clone() };
    json(&head).replacen("\"states\":[]", &format!("\"states\":{}", lines('[', &states, 4)), 1)
}

fn write_state(state: &StoredState) -> String {
    let locals: Vec<_> = state.locals.iter().map(json).collect();
    let mut text = json(&StoredState { locals: Vec::new(), ..state.clone() });
    if !locals.is_empty() {
        text.pop();
        text.push_str(&format!(",\"locals\":{}}}", lines('[', &locals, 6)));
    }
    text
}

/// A list or object with one item per line, indented by this number of spaces and two more.
fn lines(open: char, items: &[String], indent: usize) -> String {
    let close = if open == '[' { ']' } else { '}' };
    if items.is_empty() {
        return format!("{open}{close}");
    }
    let (outer, inner) = (" ".repeat(indent), " ".repeat(indent + 2));
    let items = items.join(&format!(",\n{inner}"));
    format!("{open}\n{inner}{items}\n{outer}{close}")
}

fn json(value: &impl Serialize) -> String {
    // Enums, strings and numbers always have a JSON form.
    serde_json::to_string(value).unwrap_or_default()
}
