//! A definition as plain data, as stored in the database and in `piton.lock`.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::codec::schemas::{self, TypeSchema};
use crate::codec::{ArgumentKind, CodecError, Described, Schema};
use crate::machine::frame::FrameHead;
use crate::machine::id_pattern::IdPattern;
use crate::machine::{Awaited, Definition, StepError, WorkflowEntry};
use crate::model::{AwaitKind, BranchNode, DefinitionHash, Place, SchemaHash};

use super::Migration;

/// The definition of a workflow, as some build of the code had it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StoredDefinition {
    /// The workflow's stored name.
    pub workflow: String,
    /// Its former stored names.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub formerly: Vec<String>,
    /// Its version.
    #[serde(default = "first", skip_serializing_if = "is_first")]
    pub version: u32,
    /// The types that a generic workflow is an instance with, as Rust writes them. Instances that other workflows await
    /// have one name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instance: Option<String>,
    /// The definition's hash.
    pub hash: DefinitionHash,
    /// The parameters.
    pub parameters: Vec<StoredParameter>,
    /// The numbers of the secret parameters, from 0.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub redacted_parameters: Vec<u32>,
    /// What makes the workflow ids of runs that are started without another.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<IdPattern>,
    /// Whether its runs may continue as runs of another workflow.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub continues_as_another: bool,
    /// The states of earlier definitions that a `#[migrate]` converts. Only the code knows the result.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub migrated: Vec<String>,
    /// The schema of the return value.
    pub returned: SchemaHash,
    /// The states; the first is the start.
    pub states: Vec<StoredState>,
    /// The edges between them.
    pub edges: Vec<StoredEdge>,
    /// The schemas that the definition refers to.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub schemas: BTreeMap<String, Schema>,
}

/// An edge from one state to another, or to the end (`None`), by their numbers.
pub type StoredEdge = (u32, Option<u32>);

/// A parameter of a workflow or an activity.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StoredParameter {
    /// Its name; empty if it has none.
    pub name: String,
    /// The schema of its type.
    pub schema: SchemaHash,
}

/// A state of a definition.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StoredState {
    /// The state's stored name.
    pub name: String,
    /// The kind of operation that it awaits.
    pub kind: AwaitKind,
    /// The source file.
    pub file: String,
    /// The line of the await, from 1.
    pub line: u32,
    /// Its place among the awaits with the same name.
    pub place: Place,
    /// The operation that it awaits; `None` if it has branches.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub awaited: Option<StoredAwaited>,
    /// The branches.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub branches: Vec<StoredBranch>,
    /// The locals that it saves, in stored order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub locals: Vec<StoredLocal>,
    /// The borrows that are made again of these after the await, and the positions of loops over borrows.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub borrows: Vec<StoredBorrow>,
}

/// A borrow that is made again after an await.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredBorrow {
    /// The name of the local.
    pub name: String,
    /// A hash of the code that makes it and of the constants in that.
    pub made_by: u32,
}

/// A branch of a state.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StoredBranch {
    /// The name of its operation in the source.
    pub name: String,
    /// Its place among the branches with the same name.
    pub place: Place,
    /// The operation that it awaits; `None` for an `async` block, which has its own states.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub awaited: Option<StoredAwaited>,
}

/// A local that a state saves.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StoredLocal {
    /// Its name in the source.
    pub name: String,
    /// Its former names.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub formerly: Vec<String>,
    /// Its type where the source states it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ty: Option<String>,
    /// For a part of a struct or tuple: the serialized names of the fields on the path to it. `None` if they are not
    /// known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fields: Option<Vec<String>>,
    /// Its schema.
    pub schema: SchemaHash,
    /// Its place among the bindings with the same name.
    pub place: Place,
    /// If another of these bindings has the same initializer: the hashes of the initializers of all of them, in source
    /// order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub initializers: Vec<u32>,
    /// Of a value that the source gives no name, a hash of the code that uses it: the expression around it with its index
    /// as an operand, or the pattern that binds it or a borrow of it. 0 of anything else.
    #[serde(default, skip_serializing_if = "crate::model::is_zero")]
    pub used_by: u32,
    /// Of a local that a pattern binds with others, a hash of the tokens of the value in any order. 0 of anything else.
    #[serde(default, skip_serializing_if = "crate::model::is_zero")]
    pub unordered: u32,
    /// Whether its value is secret.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub redacted: bool,
    /// Whether queries can read it (`#[expose]`).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub exposed: bool,
    /// The operations of the handles in it: children, promises and spawned operations.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub handles: Vec<StoredAwaited>,
}

/// An awaited operation, as its type describes it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StoredAwaited {
    /// An activity.
    Activity {
        /// Its stored name.
        name: String,
        /// Its parameters.
        parameters: Vec<StoredParameter>,
        /// The schema of what it returns.
        returned: SchemaHash,
    },
    /// A workflow that runs as a part of this one.
    Workflow {
        /// Its stored name.
        name: String,
        /// Its former stored names.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        formerly: Vec<String>,
        /// Its version.
        #[serde(default = "first", skip_serializing_if = "is_first")]
        version: u32,
        /// The types that it is an instance with, if it is generic.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        instance: Option<String>,
    },
    /// A timer.
    Timer,
    /// A signal.
    Signal {
        /// Its stored name.
        name: String,
        /// The schema of its value.
        value: SchemaHash,
        /// Whether the wait has a time limit.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        is_limited: bool,
    },
    /// A request to cancel.
    Cancellation,
    /// A child.
    Child {
        /// The stored name of its workflow.
        name: String,
        /// Its former stored names.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        formerly: Vec<String>,
        /// The schema of that workflow's return value.
        returned: SchemaHash,
    },
    /// An update.
    Update {
        /// Its stored name.
        name: String,
        /// The schema of the request.
        value: SchemaHash,
        /// The schema of the reply.
        reply: SchemaHash,
        /// Whether the wait has a time limit.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        is_limited: bool,
    },
    /// The outcome of a promise.
    Promise {
        /// The schema of its value.
        resolved: SchemaHash,
        /// The schema of its error.
        rejected: SchemaHash,
        /// Whether the wait has a time limit.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        is_limited: bool,
    },
    /// An operation whose outcome completes a promise.
    Fill(Box<StoredAwaited>),
    /// Several operations of one kind.
    List(Box<StoredAwaited>),
    /// An operation with a time limit.
    Within(Box<StoredAwaited>),
    /// An operation for each of many items.
    Each(Box<StoredAwaited>),
    /// An operation that is repeated.
    Repeated(Box<StoredAwaited>),
}

impl StoredDefinition {
    /// The definition that this build has of a workflow.
    pub(crate) fn of(entry: &WorkflowEntry) -> Self {
        let definition = entry.definition();
        let mut schemas = Collected::default();
        let parameters = schemas.add_parameters(definition.parameters);
        let returned = schemas.add(definition.returned);
        let states = 0..definition.states.len();
        let states = states.map(|number| state(definition, number, &mut schemas));
        #[cfg(feature = "simulation")]
        let states = states.map(|mut state| {
            // A build with an altered definition matches no state of another build, even if that one is altered too.
            let change = definition.hash().0 ^ definition.hash.0;
            if change != 0 {
                state.name.push_str(&format!("'{change:x}"));
            }
            state
        });
        let states = states.collect();
        let edges = entry.graph.edges();
        Self {
            workflow: entry.name.to_owned(),
            formerly: entry.formerly.iter().map(|name| (*name).to_owned()).collect(),
            version: entry.version,
            instance: entry.instance().map(str::to_owned),
            hash: definition.hash(),
            parameters,
            redacted_parameters: entry.options.redacted_parameters.to_vec(),
            id: entry.id.map(|id| id()),
            continues_as_another: entry.options.continues_as_another,
            migrated: Migration::states_from(entry),
            returned,
            states,
            edges: edges.iter().map(|edge| (edge.from, edge.to)).collect(),
            schemas: schemas.0,
        }
    }

    /// The hashes of the schemas that it refers to, with repetitions.
    pub(crate) fn named_schemas(&self) -> Vec<SchemaHash> {
        let parameters = self.parameters.iter().map(|parameter| parameter.schema);
        let mut named: Vec<_> = parameters.chain([self.returned]).collect();
        for state in &self.states {
            for local in &state.locals {
                named.push(local.schema);
                local.handles.iter().for_each(|awaited| awaited.name_schemas(&mut named));
            }
            let branches = state.branches.iter().filter_map(|branch| branch.awaited.as_ref());
            for awaited in state.awaited.iter().chain(branches) {
                awaited.name_schemas(&mut named);
            }
        }
        named
    }

    /// The names of the workflows that this one awaits inline.
    pub(crate) fn awaited_workflows(&self) -> impl Iterator<Item = String> {
        self.all_awaited().filter_map(|awaited| match awaited {
            StoredAwaited::Workflow { name, .. } => Some(name.clone()),
            _ => None,
        })
    }

    /// Whether runs of this name are runs of it.
    pub(crate) fn is_named(&self, workflow: &str) -> bool {
        self.workflow == workflow || self.formerly.iter().any(|former| former == workflow)
    }

    /// Whether it is one of the instance that is awaited.
    pub(crate) fn is_instance_of(&self, awaited: &StoredAwaited) -> bool {
        matches!(awaited, StoredAwaited::Workflow { instance, .. } if *instance == self.instance)
    }

    /// All operations that it awaits.
    pub(crate) fn all_awaited(&self) -> impl Iterator<Item = &StoredAwaited> {
        let states = self.states.iter();
        let awaited = states.flat_map(|state| {
            let branches = state.branches.iter().filter_map(|branch| branch.awaited.as_ref());
            state.awaited.iter().chain(branches)
        });
        awaited.map(StoredAwaited::innermost)
    }

    /// Reads the description in a definition's row.
    ///
    /// # Errors
    /// [`CodecError::Decode`] if the text is not a description.
    pub(crate) fn read(description: &str) -> Result<Self, CodecError> {
        serde_json::from_str(description).map_err(|error| CodecError::Decode {
            type_name: "definition",
            reason: error.to_string(),
        })
    }

    /// The number of locals that the state of a frame saves.
    pub(crate) fn locals_of(&self, head: FrameHead) -> Result<usize, StepError> {
        let state = self.states.get(head.state as usize);
        Ok(state.ok_or(StepError::UnknownState(head.state))?.locals.len())
    }

    /// The schema with this hash, if the definition refers to it.
    pub(crate) fn schema(&self, hash: SchemaHash) -> Option<&Schema> {
        self.schemas.get(&hash.to_string())
    }
}

fn state(definition: &Definition, number: usize, schemas: &mut Collected) -> StoredState {
    let state = &definition.states[number];
    let node = &state.node;
    let locals = node.locals.iter().zip(&state.locals).map(|(local, defined)| StoredLocal {
        name: local.name.to_owned(),
        formerly: local
            .formerly
            .split('\x1f')
            .filter(|name| !name.is_empty())
            .map(str::to_owned)
            .collect(),
        ty: local.ty.map(str::to_owned),
        fields: defined.fields.clone(),
        schema: schemas.add(defined.schema),
        place: local.place,
        initializers: local
            .initializers
            .split('+')
            .filter_map(|hash| u32::from_str_radix(hash, 16).ok())
            .collect(),
        used_by: local.used_by,
        unordered: local.unordered,
        redacted: local.redacted,
        exposed: local.exposed,
        handles: defined.handles.iter().map(|awaited| stored(awaited, schemas)).collect(),
    });
    let locals = locals.collect();
    let mut awaited = state.awaited.iter().copied();
    let branch = |branch: &BranchNode| {
        let awaited = if branch.is_block { None } else { awaited.next() };
        (branch.name.to_owned(), branch.place, awaited)
    };
    let branches: Vec<_> = node.branches.iter().map(branch).collect();
    let alone = awaited.next();
    let branches = branches.into_iter().map(|(name, place, awaited)| StoredBranch {
        name,
        place,
        awaited: awaited.map(|awaited| stored(awaited, schemas)),
    });
    let branches = branches.collect();
    StoredState {
        name: node.name.to_owned(),
        kind: node.kind,
        file: node.file.to_owned(),
        line: node.line,
        place: node.place,
        awaited: alone.map(|awaited| stored(awaited, schemas)),
        branches,
        locals,
        borrows: node
            .borrows
            .iter()
            .zip(&state.borrows)
            .map(|(borrow, made_by)| StoredBorrow {
                name: borrow.name.to_owned(),
                made_by: *made_by,
            })
            .collect(),
    }
}

fn stored(awaited: &Awaited, schemas: &mut Collected) -> StoredAwaited {
    match awaited {
        Awaited::Activity { name, arguments, returned } => StoredAwaited::Activity {
            name: (*name).to_owned(),
            parameters: schemas.add_parameters(arguments),
            returned: schemas.add_type(*returned),
        },
        Awaited::Workflow(entry) => {
            let entry = entry();
            StoredAwaited::Workflow {
                name: entry.name.to_owned(),
                formerly: entry.formerly.iter().map(|name| (*name).to_owned()).collect(),
                version: entry.version,
                instance: entry.instance().map(str::to_owned),
            }
        }
        Awaited::Timer => StoredAwaited::Timer,
        Awaited::Signal { name, value, is_limited } => StoredAwaited::Signal {
            name: (*name).to_owned(),
            value: schemas.add_type(*value),
            is_limited: *is_limited,
        },
        Awaited::Update { name, value, reply, is_limited } => StoredAwaited::Update {
            name: (*name).to_owned(),
            value: schemas.add_type(*value),
            reply: schemas.add_type(*reply),
            is_limited: *is_limited,
        },
        Awaited::Cancellation => StoredAwaited::Cancellation,
        Awaited::Child { workflow, entry, returned } => StoredAwaited::Child {
            name: (*workflow).to_owned(),
            formerly: entry().formerly.iter().map(|name| (*name).to_owned()).collect(),
            returned: schemas.add_type(*returned),
        },
        Awaited::Promise { resolved, rejected, is_limited } => StoredAwaited::Promise {
            resolved: schemas.add_type(*resolved),
            rejected: schemas.add_type(*rejected),
            is_limited: *is_limited,
        },
        Awaited::Fill(item) => StoredAwaited::Fill(Box::new(stored(item, schemas))),
        Awaited::List(item) => StoredAwaited::List(Box::new(stored(item, schemas))),
        Awaited::Within(item) => StoredAwaited::Within(Box::new(stored(item, schemas))),
        Awaited::Each(item) => StoredAwaited::Each(Box::new(stored(item, schemas))),
        Awaited::Repeated(item) => StoredAwaited::Repeated(Box::new(stored(item, schemas))),
    }
}

/// The version of a workflow that states none.
fn first() -> u32 {
    1
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_first(version: &u32) -> bool {
    *version == first()
}

/// The schemas that a definition refers to.
#[derive(Default)]
struct Collected(BTreeMap<String, Schema>);

impl Collected {
    fn add(&mut self, known: &TypeSchema) -> SchemaHash {
        self.0.entry(known.hash.to_string()).or_insert_with(|| known.schema.clone());
        known.hash
    }

    fn add_parameters(&mut self, kinds: &[ArgumentKind]) -> Vec<StoredParameter> {
        let add = |kind: &ArgumentKind| StoredParameter {
            name: kind.name.to_owned(),
            schema: self.add_type(kind.described),
        };
        kinds.iter().map(add).collect()
    }

    fn add_type(&mut self, described: Described) -> SchemaHash {
        self.add(schemas::of_type(described))
    }
}

impl StoredAwaited {
    /// The operation inside of lists, time limits and promises that it fills.
    pub(crate) fn innermost(&self) -> &Self {
        match self {
            Self::List(item) | Self::Fill(item) | Self::Within(item) => item.innermost(),
            awaited => awaited,
        }
    }

    /// Whether a name tells the operation from others of its kind.
    pub(crate) fn has_name(&self) -> bool {
        match self {
            Self::Each(item) | Self::Repeated(item) => item.has_name(),
            Self::Timer | Self::Cancellation | Self::Promise { .. } => false,
            Self::List(_) | Self::Fill(_) | Self::Within(_) => self.innermost().has_name(),
            _ => true,
        }
    }

    fn name_schemas(&self, named: &mut Vec<SchemaHash>) {
        match self {
            Self::Activity { parameters, returned, .. } => {
                named.extend(parameters.iter().map(|parameter| parameter.schema));
                named.push(*returned);
            }
            Self::Signal { value, .. } => named.push(*value),
            Self::Child { returned, .. } => named.push(*returned),
            Self::Update { value, reply, .. } => named.extend([*value, *reply]),
            Self::Promise { resolved, rejected, .. } => named.extend([*resolved, *rejected]),
            Self::List(item)
            | Self::Fill(item)
            | Self::Within(item)
            | Self::Each(item)
            | Self::Repeated(item) => {
                item.name_schemas(named);
            }
            Self::Workflow { .. } | Self::Timer | Self::Cancellation => {}
        }
    }

    /// Whether a saved wait for `self` can continue as a wait for `other`, which the current code awaits.
    pub(crate) fn is_same_as(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Activity { name, .. }, Self::Activity { name: other, .. }) => name == other,
            (Self::Child { name, .. }, Self::Child { name: other, formerly, .. }) => {
                name == other || formerly.contains(name)
            }
            (
                Self::Workflow { name, version, .. },
                Self::Workflow { name: other, formerly, version: other_version, .. },
            ) => version == other_version && (name == other || formerly.contains(name)),
            (
                Self::Signal { name, is_limited, .. },
                Self::Signal { name: other, is_limited: is_other_limited, .. },
            ) => name == other && is_limited == is_other_limited,
            (
                Self::Update { name, is_limited, .. },
                Self::Update { name: other, is_limited: is_other_limited, .. },
            ) => name == other && is_limited == is_other_limited,
            (
                Self::Promise { is_limited, .. },
                Self::Promise { is_limited: is_other_limited, .. },
            ) => is_limited == is_other_limited,
            (Self::List(item), Self::List(other))
            | (Self::Fill(item), Self::Fill(other))
            | (Self::Within(item), Self::Within(other))
            | (Self::Each(item), Self::Each(other))
            | (Self::Repeated(item), Self::Repeated(other)) => item.is_same_as(other),
            (Self::Timer, Self::Timer) | (Self::Cancellation, Self::Cancellation) => true,
            _ => false,
        }
    }
}

impl std::fmt::Display for StoredAwaited {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Activity { name, .. } => write!(f, "the activity `{name}`"),
            Self::Workflow { name, version: 1, .. } => write!(f, "the workflow `{name}`"),
            Self::Workflow { name, version, .. } => {
                write!(f, "version {version} of the workflow `{name}`")
            }
            Self::Timer => f.write_str("a timer"),
            Self::Signal { name, is_limited: false, .. } => write!(f, "the signal `{name}`"),
            Self::Signal { name, .. } => {
                write!(f, "the signal `{name}` with a time limit of its own")
            }
            Self::Update { name, is_limited: false, .. } => write!(f, "the update `{name}`"),
            Self::Update { name, .. } => {
                write!(f, "the update `{name}` with a time limit of its own")
            }
            Self::Cancellation => f.write_str("a request to cancel"),
            Self::Child { name, .. } => write!(f, "a child, a run of `{name}`"),
            Self::Promise { is_limited: false, .. } => f.write_str("a promise"),
            Self::Promise { .. } => f.write_str("a promise with a time limit of its own"),
            Self::Fill(item) => write!(f, "{item}, which fills a promise"),
            Self::List(item) => write!(f, "several times {item}"),
            Self::Within(item) => write!(f, "{item} with a time limit by `cx.timeout`"),
            Self::Each(item) => write!(f, "{item} for each of many items"),
            Self::Repeated(item) => write!(f, "{item} again and again"),
        }
    }
}
