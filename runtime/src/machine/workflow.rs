//! What `#[workflow]` generates, as traits, and its form without types for the registry.

use std::any::TypeId;
use std::marker::PhantomData;
use std::sync::LazyLock;
use std::task::Poll;

use super::{Context, Parked, StepError, Values, region};
use crate::codec::{CodecError, Schema};
use crate::model::{DefinitionHash, Graph, Payload};

/// A workflow definition: the type that `#[workflow]` emits under the function's name.
pub trait Workflow: Sized + 'static {
    /// What the function returns. Values of it can be saved, see [`Workflow::returned`].
    type Return;
    /// What whoever asks for the result gets if the run completes: `T` for a function that returns
    /// `Result<T, E>`, else [`Self::Return`].
    type Output;
    /// `E` for a function that returns `Result<T, E>`, else [`std::convert::Infallible`].
    type Error;
    /// The arguments, as a tuple.
    type Arguments;
    /// The stored name of the definition. See [`Workflow::registered_name`] for that of runs.
    const NAME: &'static str;
    /// The states and the ways between them.
    const GRAPH: &'static Graph;
    /// What the attribute says.
    const OPTIONS: WorkflowOptions;

    /// How the arguments are encoded.
    fn arguments() -> Values<Self::Arguments>;

    /// How what the function returns is encoded.
    fn returned() -> Values<Self::Return>;

    /// The identity of the definition, computed once per process.
    fn definition() -> &'static Definition;

    /// The name under which runs are stored: that of the definition, or for a generic workflow the
    /// one that [`register!`](macro@crate::register) gave the instance. `None` if it gave none.
    fn registered_name() -> Option<&'static str> {
        Some(Self::NAME)
    }

    /// Goes from one state to the next, or to the end.
    ///
    /// # Errors
    /// [`Halt`]: the next state is in `parked`, or the step could not be made.
    fn step(parked: &mut Parked, cx: &Context) -> Result<Self::Return, Halt>;

    /// The text of the error that a return value holds, if it is one.
    fn failure(returned: &Self::Return) -> Option<String>;

    /// Takes a return value apart.
    ///
    /// # Errors
    /// The error that it holds, if it is one.
    fn into_result(returned: Self::Return) -> Result<Self::Output, Self::Error>;
}

/// Why a step ended without a return value.
#[derive(Debug)]
pub enum Halt {
    /// The machine waits.
    Suspended,
    /// The step could not be made.
    Failed(StepError),
}

impl From<StepError> for Halt {
    fn from(error: StepError) -> Self {
        Self::Failed(error)
    }
}

/// What `#[workflow(…)]` can say of the whole workflow.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct WorkflowOptions {
    /// When a step's state is on disk.
    pub durability: Durability,
}

impl WorkflowOptions {
    /// No option given.
    pub const DEFAULT: Self = Self { durability: Durability::Strict };

    /// The same, with another durability.
    #[must_use]
    pub const fn with_durability(mut self, durability: Durability) -> Self {
        self.durability = durability;
        self
    }
}

/// When a step's state is on disk. What others can see of a run, its result above all, is on disk
/// in either mode, and so is what it takes from its inbox before it is gone from there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Durability {
    /// Before anything that the step asks for is started. After a crash, at most the attempts that
    /// were under way are made again.
    Strict,
    /// Some steps later: the run goes on while the database writes. After a crash it goes back to
    /// the last state on disk, so up to `max_steps` steps are made again, with the activities that
    /// they asked for. Activities that are carried out at most once or in a transaction keep their
    /// promise; the run waits for the database before them.
    Relaxed {
        /// How many steps may be made that are not on disk.
        max_steps: u32,
    },
}

impl Durability {
    /// How many steps a relaxed run may be ahead unless the workflow says otherwise.
    pub const DEFAULT_MAX_STEPS: u32 = 16;
}

/// A call of a workflow: what the function named in `#[workflow]` returns. Started with a client it
/// becomes a run; awaited in another workflow it runs inline, as a part of that one's run.
#[must_use = "a workflow does nothing until it is started or awaited"]
pub struct WorkflowCall<W> {
    pub(crate) arguments: Result<Payload, CodecError>,
    workflow: PhantomData<fn() -> W>,
}

impl<W: Workflow> WorkflowCall<W> {
    /// Encodes the arguments. An argument that cannot be encoded is reported when the call is
    /// started.
    pub fn new(arguments: &W::Arguments) -> Self {
        Self { arguments: W::arguments().encode(arguments), workflow: PhantomData }
    }

    /// The states of the workflow and the ways between them.
    pub fn graph(&self) -> &'static Graph {
        W::GRAPH
    }

    /// The encoded arguments.
    ///
    /// # Errors
    /// [`CodecError::Encode`] if an argument cannot be encoded.
    pub fn into_arguments(self) -> Result<Payload, CodecError> {
        self.arguments
    }
}

impl<W> Clone for WorkflowCall<W> {
    fn clone(&self) -> Self {
        Self { arguments: self.arguments.clone(), workflow: PhantomData }
    }
}

impl<W: Workflow> std::fmt::Debug for WorkflowCall<W> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("WorkflowCall").field("workflow", &W::NAME).finish_non_exhaustive()
    }
}

/// The identity of a definition and what it rests on.
#[derive(Debug)]
pub struct Definition {
    /// Identifies states, saved locals and their schemas.
    pub hash: DefinitionHash,
    /// The schema of every saved local and of arguments and return value.
    pub schemas: Vec<(&'static str, Schema)>,
}

impl Definition {
    /// Computes the identity of `W` by having its machine tell the schemas of its locals.
    pub fn of<W: Workflow>() -> Self {
        Self::new(&const { WorkflowEntry::of::<W>() })
    }

    // Functions that are the same for all workflows are compiled once, and not for each of them.
    fn new(entry: &WorkflowEntry) -> Self {
        let cx = Context::describing();
        // The step only describes; its state is never looked at.
        let described = (entry.step)(&mut Parked::nowhere(), &cx);
        debug_assert!(matches!(described, Err(Halt::Suspended)));
        let [arguments, returned] = entry.schemas;
        let mut schemas = vec![("arguments", arguments()), ("return value", returned())];
        schemas.extend(cx.take_schemas());
        let mut hash = StableHash::new();
        hash.add(entry.graph.workflow);
        for node in entry.graph.nodes {
            hash.add(node.name);
            node.locals.iter().for_each(|local| hash.add(local.name));
        }
        for (name, schema) in &schemas {
            hash.add(name);
            match &schema.format {
                // Formats are plain enums and strings, which always have a JSON form.
                Some(format) => hash.add(&serde_json::to_string(format).unwrap_or_default()),
                None => hash.add(schema.type_name),
            }
        }
        Self { hash: DefinitionHash(hash.0), schemas }
    }

    /// The types that cannot be saved, each with the reason.
    pub fn problems(&self) -> impl Iterator<Item = String> {
        self.schemas.iter().filter_map(|(name, schema)| {
            let problem = schema.problem.as_ref()?;
            Some(format!(
                "`{name}` has the type `{}`, which cannot be saved: {problem}; wrap it in \
                 `piton::Json<…>`",
                schema.type_name
            ))
        })
    }
}

/// A [`Definition`] that is computed when it is first asked for.
#[derive(Debug)]
pub struct LazyDefinition(LazyLock<Definition>);

impl LazyDefinition {
    /// The definition of `W`.
    pub const fn of<W: Workflow>() -> Self {
        Self(LazyLock::new(Definition::of::<W>))
    }

    /// The definition.
    pub fn get(&self) -> &Definition {
        &self.0
    }
}

/// FNV-1a (Fowler, Noll, Vo): the same on every platform and with every compiler, unlike the hashers
/// of the standard library. It tells definitions apart; nothing hangs on it being hard to forge.
struct StableHash(u64);

impl StableHash {
    fn new() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }

    fn add(&mut self, text: &str) {
        // The closing byte is not part of any text, so texts do not run together.
        for byte in text.bytes().chain([0xff]) {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }
}

/// A workflow as the registry holds it.
#[derive(Debug)]
pub struct WorkflowEntry {
    /// The stored name.
    pub name: &'static str,
    /// Tells the [`Workflow`] by its type.
    pub type_id: fn() -> TypeId,
    /// The states and the ways between them.
    pub graph: &'static Graph,
    /// What the attribute says.
    pub options: WorkflowOptions,
    /// See [`Workflow::definition`].
    pub definition: fn() -> &'static Definition,
    /// Checks that arguments are those of the workflow.
    pub check: fn(&Payload) -> Result<(), CodecError>,
    /// See [`Workflow::step`].
    pub step: fn(&mut Parked, &Context) -> Result<Returned, Halt>,
    /// Trace the types of the arguments and of the return value.
    pub schemas: [fn() -> Schema; 2],
}

inventory::collect!(WorkflowEntry);

/// What a workflow returned, without its type.
#[derive(Debug)]
pub struct Returned {
    /// The encoded return value.
    pub result: Payload,
    /// The error's text, if it returned one.
    pub failure: Option<String>,
}

impl WorkflowEntry {
    /// The entry of `W`.
    pub const fn of<W: Workflow>() -> Self {
        Self {
            name: W::NAME,
            type_id: TypeId::of::<W>,
            graph: W::GRAPH,
            options: W::OPTIONS,
            definition: W::definition,
            check: check::<W>,
            step: step::<W>,
            schemas: [|| (W::arguments().schema)(), || (W::returned().schema)()],
        }
    }

    /// The same under another name.
    pub const fn named(mut self, name: &'static str) -> Self {
        self.name = name;
        self
    }

    /// The entry registered under `name`.
    pub fn find(name: &str) -> Option<&'static Self> {
        inventory::iter::<Self>().find(|entry| entry.name == name)
    }
}

fn check<W: Workflow>(arguments: &Payload) -> Result<(), CodecError> {
    match W::arguments().decode(arguments) {
        Ok(_) => Ok(()),
        Err(error) => Err(error),
    }
}

fn step<W: Workflow>(parked: &mut Parked, cx: &Context) -> Result<Returned, Halt> {
    match W::step(parked, cx) {
        Ok(value) => match W::returned().encode(&value) {
            Ok(result) => Ok(Returned { result, failure: W::failure(&value) }),
            Err(error) => Err(Halt::Failed(StepError::Encode(error))),
        },
        Err(halt) => Err(halt),
    }
}

/// Goes on from a state until something is waited for that is not there yet.
pub(super) fn advance<R>(
    step: fn(&mut Parked, &Context) -> Result<R, Halt>,
    parked: &mut Parked,
    cx: &Context,
) -> Result<Poll<R>, StepError> {
    region::advance(parked, cx, &mut |parked| step(parked, cx))
}
