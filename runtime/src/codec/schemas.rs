//! The schemas that this process knows: those of its own types, and those that it has read from the database.
//!
//! A schema is identified by the hash of its content, so known schemas never become outdated. Each type is traced
//! once per process.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{LazyLock, OnceLock, PoisonError, RwLock};

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use super::arguments::ArgumentKind;
use super::copying::CopyingKey;
use super::schema::{Described, Form, Format, Schema};
use super::{CodecError, cannot_decode};
use crate::model::{SchemaHash, StableHash};

/// The schema of a type of this program.
#[derive(Debug)]
pub(crate) struct TypeSchema {
    pub(crate) hash: SchemaHash,
    pub(crate) schema: Schema,
}

/// The schemas of the parameters of a workflow or an activity.
#[derive(Debug)]
pub(crate) struct ArgumentsSchema {
    pub(crate) hash: SchemaHash,
    pub(crate) parameters: Vec<&'static TypeSchema>,
    /// Whether each is written in the compact form.
    pub(crate) is_compact: bool,
}

/// The schema of a payload, as stored in the database.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum StoredSchema {
    /// One value.
    Value(Schema),
    /// The arguments of a call, by the names of the parameters.
    Arguments(Vec<(String, Schema)>),
}

impl StoredSchema {
    pub(crate) fn hash(&self) -> SchemaHash {
        match self {
            Self::Value(schema) => schema.hash(),
            Self::Arguments(parameters) => {
                let parameters = parameters.iter();
                hash_of_list(parameters.map(|(name, schema)| (&**name, schema.hash())))
            }
        }
    }
}

impl TypeSchema {
    pub(crate) fn form(&self) -> Form {
        self.schema.form
    }
}

/// The schemas of the payloads that this process has written into saved states, in the order of their first use.
#[derive(Debug, Default)]
struct Kept {
    hashes: RwLock<Vec<SchemaHash>>,
    /// Their number, which can be read without the lock.
    count: AtomicUsize,
}

/// A fast hash, because a step looks up several of them and no key comes from outside.
type Known<K, V> = LazyLock<RwLock<FxHashMap<K, &'static V>>>;

static OF_TYPES: Known<CopyingKey, TypeSchema> = LazyLock::new(RwLock::default);
static OF_ARGUMENTS: Known<(usize, usize), ArgumentsSchema> = LazyLock::new(RwLock::default);
static BY_HASH: Known<SchemaHash, StoredSchema> = LazyLock::new(RwLock::default);
static KEPT: LazyLock<Kept> = LazyLock::new(Kept::default);

/// Returns the value of a key; computes it at first use. Values live until the process ends.
fn get_or_learn<K: Eq + std::hash::Hash, V>(
    known: &Known<K, V>,
    key: K,
    learn: impl FnOnce() -> V,
) -> &'static V {
    // Every operation leaves the map consistent, so a poisoned lock is harmless.
    if let Some(found) = known.read().unwrap_or_else(PoisonError::into_inner).get(&key) {
        return found;
    }
    // Tracing runs users' code, so hold no lock.
    let learned = learn();
    let mut known = known.write().unwrap_or_else(PoisonError::into_inner);
    known.entry(key).or_insert_with(|| Box::leak(Box::new(learned)))
}

/// The schema of a type.
pub(crate) fn of_type(described: Described) -> &'static TypeSchema {
    get_or_learn(&OF_TYPES, described.key(), || {
        let schema = described.schema();
        TypeSchema { hash: take_note(&schema), schema }
    })
}

/// Like [`of_type`], for a value that is written into a saved state as a payload. No definition refers to such a
/// schema, so it is recorded before the state is.
pub(super) fn of_kept_type(described: Described) -> &'static TypeSchema {
    let known = of_type(described);
    let is_new = |hashes: &[SchemaHash]| !hashes.contains(&known.hash);
    if is_new(&KEPT.hashes.read().unwrap_or_else(PoisonError::into_inner)) {
        let mut hashes = KEPT.hashes.write().unwrap_or_else(PoisonError::into_inner);
        if is_new(&hashes) {
            hashes.push(known.hash);
            KEPT.count.store(hashes.len(), Ordering::Release);
        }
    }
    known
}

/// The schemas of [kept values](of_kept_type) behind the first `known` of them.
pub(crate) fn kept_after(known: usize) -> Vec<SchemaHash> {
    if KEPT.count.load(Ordering::Acquire) == known {
        return Vec::new();
    }
    let hashes = KEPT.hashes.read().unwrap_or_else(PoisonError::into_inner);
    hashes.get(known..).unwrap_or_default().to_vec()
}

/// Why values of a type cannot be saved, if so; `what` is what has the type, for people.
pub(crate) fn problem_of(what: &str, known: &TypeSchema) -> Option<String> {
    let problem = known.schema.problem.as_ref()?;
    let type_name = &known.schema.type_name;
    Some(format!("{what} has the type `{type_name}`, which cannot be saved: {problem}"))
}

/// The schema of the arguments of a call with these parameters.
pub(crate) fn of_arguments(kinds: &'static [ArgumentKind]) -> &'static ArgumentsSchema {
    // Lists with the same address have the same types, or functions that the linker has merged.
    let key = (kinds.as_ptr().addr(), kinds.len());
    get_or_learn(&OF_ARGUMENTS, key, || {
        let parameters: Vec<_> = kinds.iter().map(|kind| of_type(kind.described)).collect();
        let names = kinds.iter().map(|kind| kind.name);
        let hash = hash_of_list(names.clone().zip(parameters.iter().map(|known| known.hash)));
        get_or_learn(&BY_HASH, hash, || {
            let schemas = parameters.iter().map(|parameter| parameter.schema.clone());
            StoredSchema::Arguments(names.map(str::to_owned).zip(schemas).collect())
        });
        let is_compact = parameters.iter().all(|parameter| parameter.form() == Form::Compact);
        ArgumentsSchema { hash, parameters, is_compact }
    })
}

fn hash_of_list<'a>(parameters: impl Iterator<Item = (&'a str, SchemaHash)>) -> SchemaHash {
    let mut hash = StableHash::new();
    hash.add("arguments");
    for (name, schema) in parameters {
        hash.add(name);
        hash.add(&schema.to_string());
    }
    SchemaHash(hash.finish())
}

/// Assigns an argument of a call to each current parameter: the one with its name, or else the one in its place, if no
/// current parameter has that one's name and there are as many parameters as before. Of two renamed parameters, each may
/// be the other one, unless the types of their arguments, as far as they are known, tell.
///
/// # Errors
/// The reason why a parameter has no argument.
pub(crate) fn match_parameters(
    before: &[(&str, Option<&Schema>)],
    now: &[&str],
) -> Result<Vec<usize>, String> {
    let by_name = |name: &str| before.iter().position(|(old, _)| !name.is_empty() && *old == name);
    // If one is removed and another one renamed, the places do not tell which is which.
    let is_as_long = before.len() == now.len();
    let in_place = |place: usize| {
        let (old, _) = before.get(place)?;
        (is_as_long && (old.is_empty() || !now.contains(old))).then_some(place)
    };
    let places = now.iter().enumerate().map(|(place, name)| {
        by_name(name).or_else(|| in_place(place)).ok_or_else(|| match before.get(place) {
            None => format!("the parameter `{name}` is new, and no argument was given for it"),
            Some((old, _)) => format!(
                "no argument was given for the parameter `{name}`, and the one in its place is that of `{old}`"
            ),
        })
    });
    let places = places.collect::<Result<Vec<_>, _>>()?;
    let mut renamed = now.iter().zip(&places).filter(|(name, place)| {
        let old = before[**place].0;
        !old.is_empty() && old != **name
    });
    while let Some((name, place)) = renamed.next() {
        let is_alike =
            |(_, other): &(_, &usize)| may_be_exchanged(before[*place].1, before[**other].1);
        if let Some((other, _)) = renamed.clone().find(is_alike) {
            return Err(format!(
                "the parameters `{name}` and `{other}` have new names, so it is unclear which argument belongs to which"
            ));
        }
    }
    Ok(places)
}

/// Whether a value of one of these schemas may be read as one of the other.
fn may_be_exchanged(one: Option<&Schema>, other: Option<&Schema>) -> bool {
    fn content(schema: &Schema) -> Option<&Format> {
        let mut format = &schema.format.as_ref()?.0;
        while let Format::Option(inner) = format {
            format = inner;
        }
        Some(format)
    }
    let (Some(one), Some(other)) = (one, other) else { return true };
    match (content(one), content(other)) {
        (Some(format), Some(others)) => {
            let is_text = |format: &Format| matches!(format, Format::Str | Format::Char);
            format.is_number() && others.is_number()
                || is_text(format) && is_text(others)
                || one.hash() == other.hash()
        }
        _ => true,
    }
}

/// The schema with this hash, if this process knows it.
pub(crate) fn known(hash: SchemaHash) -> Option<&'static StoredSchema> {
    if hash == tagged().0 {
        return Some(&tagged().1);
    }
    BY_HASH.read().unwrap_or_else(PoisonError::into_inner).get(&hash).copied()
}

/// The schema of self-describing values, and its hash.
pub(super) fn tagged() -> &'static (SchemaHash, StoredSchema) {
    static TAGGED: OnceLock<(SchemaHash, StoredSchema)> = OnceLock::new();
    TAGGED.get_or_init(|| {
        let schema = Schema::tagged();
        (schema.hash(), StoredSchema::Value(schema))
    })
}

/// Adds a schema that was read from the database.
///
/// # Errors
/// [`CodecError::Decode`] if the text is not the schema with this hash.
pub(crate) fn learn(hash: SchemaHash, text: &str) -> Result<(), CodecError> {
    let schema: StoredSchema =
        serde_json::from_str(text).map_err(|error| cannot_decode("schema", &error))?;
    if schema.hash() != hash {
        return Err(cannot_decode("schema", &format_args!("its hash is not {hash}")));
    }
    get_or_learn(&BY_HASH, hash, || schema);
    Ok(())
}

/// Adds the schema of a value. Returns its hash.
pub(super) fn take_note(schema: &Schema) -> SchemaHash {
    let hash = schema.hash();
    get_or_learn(&BY_HASH, hash, || StoredSchema::Value(schema.clone()));
    hash
}

/// Adds the schema of the arguments of a call. Returns its hash.
pub(super) fn take_note_of_arguments(parameters: &[(&str, &Schema)]) -> SchemaHash {
    let parameters = parameters.iter();
    let parameters = parameters.map(|(name, schema)| ((*name).to_owned(), (*schema).clone()));
    let schema = StoredSchema::Arguments(parameters.collect());
    let hash = schema.hash();
    get_or_learn(&BY_HASH, hash, || schema);
    hash
}

/// The text of a known schema, as stored in the database.
pub(crate) fn text(hash: SchemaHash) -> Option<String> {
    // Enums, strings and numbers always have a JSON form.
    known(hash).and_then(|schema| serde_json::to_string(schema).ok())
}
