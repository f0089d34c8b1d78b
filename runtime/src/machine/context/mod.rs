//! The context of a workflow: the API of a run, and the input and output of a step.

mod answers;
mod attributes;
pub(crate) mod items;
mod messages;
mod promises;
mod side_effects;
mod terms;
mod waits;

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::fmt;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;
use std::time::Duration;

use uuid::Uuid;

use self::answers::Answers;
use self::attributes::Labels;
use self::messages::Outgoing;
use self::side_effects::SideEffects;
use self::waits::WaitGroup;
use super::step::Arrivals;
use super::values::SavedKind;
use super::{
    Awaited, Cancellation, OperationOutcome, ReceivedUpdate, Signal, SignalWait, Sleep, Update,
    UpdateWait,
};
use crate::codec::CodecError;
use crate::hidden::Hidden;
use crate::model::{Handle, Operation, Payload, RunId, Terms, Timestamp};

/// The ids of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunInfo {
    /// The id of this execution.
    pub run_id: RunId,
    /// The workflow id.
    pub workflow_id: Arc<str>,
}

/// A workflow's view of its run: time, random numbers, and all operations except activities.
///
/// Each run has one. It is not shared between threads, and all of its methods take `&self`.
pub struct Context(Box<dyn Hidden<Fields> + Send>);

#[derive(Debug)]
struct Fields {
    run: RunInfo,
    /// The run's terms, if it has any. Not part of its state.
    terms: RefCell<Option<Box<Terms>>>,
    workflow: &'static str,
    step: Cell<u64>,
    now: Cell<Timestamp>,
    /// When the previous step began.
    last_step_at: Cell<Timestamp>,
    drawn: Cell<u64>,
    next_handle: Cell<u64>,
    operations: RefCell<Vec<(Handle, Operation)>>,
    queued: RefCell<QueueChanges>,
    outgoing: RefCell<Outgoing>,
    labels: RefCell<Labels>,
    side_effects: RefCell<SideEffects>,
    answers: RefCell<Answers>,
    waits: RefCell<Vec<WaitGroup>>,
    arrivals: RefCell<Arrivals>,
    cancelled_below: Cell<Handle>,
    /// The reason, if the step delivers a request to cancel.
    cancelled: RefCell<String>,
    /// Whether new operations are shielded.
    shielding: Cell<bool>,
    giving_up: Cell<bool>,
    goes_on: Cell<bool>,
    description: RefCell<Option<Description>>,
}

/// A description of a machine, collected by a step that does nothing else.
#[derive(Debug, Default)]
pub(crate) struct Description {
    pub(crate) locals: Vec<(&'static str, SavedKind)>,
    /// The awaits, in the order of the states and of the branches in each, without `async` blocks.
    pub(crate) awaited: Vec<&'static Awaited>,
    /// Parts of locals by their saved names, with serde's names of the fields on the path.
    pub(crate) parts: HashMap<&'static str, Option<Vec<String>>>,
    /// Hashes of the contents of the constants of which borrows are made again.
    pub(crate) constants: Vec<u64>,
}

impl Description {
    /// A description with these `locals`, whose `names` are lines, and these awaits.
    pub(crate) fn of(
        names: &'static str,
        locals: &[&SavedKind],
        awaited: &[&'static Awaited],
    ) -> Self {
        let locals = names.lines().zip(locals.iter().map(|kind| **kind)).collect();
        Self { locals, awaited: awaited.to_vec(), ..Self::default() }
    }
}

/// Changes of queued activities that are not committed yet.
#[derive(Debug, Default)]
pub(crate) struct QueueChanges {
    /// Requested activities.
    pub(crate) asked: Vec<Handle>,
    /// Activities dropped before their outcome arrived.
    pub(crate) given_up: Vec<Handle>,
}

/// For workflow code.
impl Context {
    /// The id of this execution.
    pub fn run_id(&self) -> RunId {
        self.fields().run.run_id
    }

    /// The workflow id of the run.
    pub fn workflow_id(&self) -> &str {
        &self.fields().run.workflow_id
    }

    /// The time at which the current step began. It is constant within a step and never goes back from step to
    /// step, whatever happens to the clocks of the machines.
    pub fn now(&self) -> Timestamp {
        self.fields().now.get()
    }

    /// A random number, derived from the run and the step: a repeated step draws the same. Not for secrets.
    pub fn random(&self) -> u64 {
        // SipHash of (run, step, draw): uniform, and not used for secrets.
        let mut hasher = DefaultHasher::new();
        let fields = self.fields();
        fields.run.run_id.hash(&mut hasher);
        fields.step.get().hash(&mut hasher);
        fields.drawn.replace(fields.drawn.get() + 1).hash(&mut hasher);
        hasher.finish()
    }

    /// A random (version 4) UUID, drawn like [`Context::random`].
    pub fn uuid(&self) -> Uuid {
        let bits = (u128::from(self.random()) << 64) | u128::from(self.random());
        uuid::Builder::from_random_bytes(bits.to_be_bytes()).into_uuid()
    }

    /// Waits for `duration`, counted from the step in which it is awaited. A duration of zero returns at once.
    pub fn sleep(&self, duration: Duration) -> Sleep {
        Sleep::lasting(duration)
    }

    /// Waits until `deadline`. A past time returns at once.
    pub fn sleep_until(&self, deadline: impl Into<Timestamp>) -> Sleep {
        Sleep::until(deadline.into())
    }

    /// Waits for the next signal of type `S`. Signals that arrived earlier are kept, in the order in which they
    /// were acknowledged.
    pub fn signal<S: Signal>(&self) -> SignalWait<S> {
        SignalWait::new()
    }

    /// Waits for the next update of type `U`, a request that the run answers. Updates that arrived earlier are
    /// kept, in the order in which they were acknowledged.
    ///
    /// ```ignore
    /// let add = cx.update::<AddItem>().await;
    /// cart.add(&add.item);
    /// add.reply(cart.total());
    /// ```
    pub fn update<U: Update>(&self) -> UpdateWait<U> {
        UpdateWait::new()
    }

    /// Waits for a request to cancel the run. While a workflow awaits this, the request is delivered only here;
    /// otherwise it ends the current await. A run receives one request; further ones have no effect. So this waits
    /// forever if the request has ended an await before, and the code went on.
    pub fn cancelled(&self) -> Cancellation {
        Cancellation::new()
    }
}

/// For durable futures and the step driver.
impl Context {
    pub(crate) fn new(
        run: RunInfo,
        workflow: &'static str,
        next_handle: u64,
        operations: Vec<(Handle, Operation)>,
    ) -> Self {
        let answers = RefCell::new(Answers::of(&operations));
        Self(Box::new(Fields {
            run,
            terms: RefCell::default(),
            workflow,
            step: Cell::new(0),
            now: Cell::default(),
            last_step_at: Cell::new(Timestamp::MIN),
            drawn: Cell::new(0),
            next_handle: Cell::new(next_handle),
            operations: RefCell::new(operations),
            queued: RefCell::default(),
            outgoing: RefCell::default(),
            labels: RefCell::default(),
            side_effects: RefCell::default(),
            answers,
            waits: RefCell::default(),
            arrivals: RefCell::default(),
            cancelled_below: Cell::new(Handle(0)),
            cancelled: RefCell::default(),
            shielding: Cell::new(false),
            giving_up: Cell::new(false),
            goes_on: Cell::new(false),
            description: RefCell::new(None),
        }))
    }

    fn fields(&self) -> &Fields {
        (*self.0).reveal()
    }

    /// Prepares step number `step`, which begins `now`; the previous one began at `last`. The step delivers a
    /// request to cancel that has arrived: to the run's own wait for it, or else to all outstanding operations,
    /// unless one of them is shielded.
    pub(crate) fn begin_step(&self, step: u64, now: Timestamp, last: Timestamp) {
        let fields = self.fields();
        fields.step.set(step);
        fields.last_step_at.set(last);
        fields.now.set(now);
        fields.drawn.set(0);
        fields.waits.borrow_mut().clear();
        self.begin_sending();
        self.begin_labels();
        self.open_waits(false);
        fields.goes_on.set(false);
        fields.shielding.set(false);
        let is_asked = fields.arrivals.borrow().is_asked_to_cancel();
        let ends_all = is_asked && {
            let operations = fields.operations.borrow();
            // A request that arrives before the first await is kept for it.
            let has_begun = fields.next_handle.get() > 0;
            has_begun && !awaits_cancel(&operations) && !is_shielded(&operations)
        };
        let cancel = if ends_all { self.take_cancel() } else { None };
        let below = if cancel.is_some() { fields.next_handle.get() } else { 0 };
        fields.cancelled_below.set(Handle(below));
        if let Some(reason) = cancel {
            fields.cancelled.replace(reason);
        }
    }

    /// When the previous step began.
    pub(super) fn last_step_at(&self) -> Timestamp {
        self.fields().last_step_at.get()
    }

    /// Adds an outstanding operation for which the step waits.
    pub(crate) fn ask(&self, operation: Operation) -> Handle {
        let fields = self.fields();
        if is_on_queue(&operation) {
            fields.queued.borrow_mut().asked.push(Handle(self.next_handle()));
        }
        let handle = self.add(operation);
        if fields.shielding.get() {
            self.add(Operation::Shield(handle));
        }
        self.wait_for(handle);
        handle
    }

    /// Adds an outstanding operation. The step does not wait for it.
    pub(crate) fn add(&self, operation: Operation) -> Handle {
        let fields = self.fields();
        let handle = Handle(fields.next_handle.get());
        fields.next_handle.set(handle.0 + 1);
        fields.operations.borrow_mut().push((handle, operation));
        handle
    }

    /// Whether an operation is outstanding.
    pub(crate) fn is_outstanding(&self, handle: Handle) -> bool {
        let operations = self.fields().operations.borrow();
        operations.binary_search_by_key(&handle, |(handle, _)| *handle).is_ok()
    }

    /// Whether the outcome of an activity has arrived.
    pub(crate) fn has_outcome(&self, handle: Handle) -> bool {
        self.fields().arrivals.borrow().has_outcome(handle)
    }

    /// Removes an outstanding operation.
    pub(crate) fn settle(&self, handle: Handle) {
        let fields = self.fields();
        let mut operations = fields.operations.borrow_mut();
        if let Ok(index) = operations.binary_search_by_key(&handle, |(handle, _)| *handle) {
            let (_, operation) = operations.remove(index);
            // The mark of a shielded operation follows it in the list.
            if let Some((_, Operation::Shield(of))) = operations.get(index)
                && *of == handle
            {
                operations.remove(index);
            }
            if fields.arrivals.borrow().has_outcome(handle) {
                return;
            }
            match operation {
                Operation::Activity(activity) if activity.queue.is_some() => {
                    self.give_up_queued(handle);
                }
                Operation::Promise(wait) if self.take_offer(handle) => drop(wait),
                Operation::Promise(wait) => self.forget_promise(wait.token, handle),
                _ => {}
            }
        }
    }

    /// Records that a queued activity is dropped.
    pub(crate) fn give_up_queued(&self, handle: Handle) {
        let mut queued = self.fields().queued.borrow_mut();
        let asked = queued.asked.len();
        queued.asked.retain(|asked| *asked != handle);
        if queued.asked.len() == asked {
            queued.given_up.push(handle);
        }
    }

    pub(crate) fn take_queue_changes(&self) -> QueueChanges {
        self.fields().queued.take()
    }

    /// The outcome of an operation, if it has arrived. It is only borrowed, because it must stay until the step has
    /// succeeded.
    pub(crate) fn take_outcome<T>(
        &self,
        handle: Handle,
        look: impl FnOnce(Option<&OperationOutcome>) -> T,
    ) -> T {
        look(self.fields().arrivals.borrow_mut().take_outcome(handle))
    }

    /// Moves the last signal of this name that was taken to the dead letters, because it cannot be read.
    pub(crate) fn set_aside_signal(&self, name: &str, error: &CodecError) {
        self.fields().arrivals.borrow_mut().set_aside_signal(name, error.to_string());
    }

    /// Takes the first signal of this name in the inbox.
    pub(crate) fn take_signal(&self, name: &str) -> Option<Payload> {
        self.fields().arrivals.borrow_mut().take_signal(name)
    }

    /// Takes the first update of this name in the inbox. If the wait is late (its time limit has passed), updates
    /// are left to other waits without a passed limit.
    pub(crate) fn take_update(&self, name: &str, is_late: bool) -> Option<ReceivedUpdate> {
        let now = self.now();
        let is_open = |operation: &Operation| match operation {
            Operation::Update { name: awaited, until } => {
                awaited == name && until.is_none_or(|until| until > now)
            }
            _ => false,
        };
        let fields = self.fields();
        let mut arrivals = fields.arrivals.borrow_mut();
        if is_late {
            let operations = fields.operations.borrow();
            let open = operations.iter().filter(|(_, other)| is_open(other)).count();
            if arrivals.count_updates(name) <= open {
                return None;
            }
        }
        arrivals.take_update(name)
    }

    /// Like [`Context::take_signal`], for a late wait (its time limit has passed): signals are left to other waits
    /// without a passed limit.
    pub(crate) fn take_late_signal(&self, name: &str) -> Option<Payload> {
        let now = self.now();
        let is_open = |operation: &Operation| match operation {
            Operation::Signal { name: awaited, until } => {
                awaited == name && until.is_none_or(|until| until > now)
            }
            _ => false,
        };
        let fields = self.fields();
        let open = fields.operations.borrow().iter().filter(|(_, other)| is_open(other)).count();
        let waiting = fields.arrivals.borrow().count_signals(name);
        if waiting > open { self.take_signal(name) } else { None }
    }

    /// Takes the request to cancel, if there is one that was not delivered.
    pub(crate) fn take_cancel(&self) -> Option<String> {
        self.fields().arrivals.borrow_mut().take_cancel()
    }

    /// The reason, if this step delivers a request to cancel.
    pub(crate) fn cancel_reason(&self) -> Option<String> {
        let fields = self.fields();
        (fields.cancelled_below.get() > Handle(0)).then(|| fields.cancelled.borrow().clone())
    }

    /// Runs `step`, and shields the operations that it starts.
    pub(crate) fn shield_all<T>(&self, step: impl FnOnce() -> T) -> T {
        let fields = self.fields();
        let outer = fields.shielding.replace(true);
        let value = step();
        fields.shielding.set(outer);
        value
    }

    /// Drops the operations from this one on, except compensations.
    pub(crate) fn give_up_from(&self, first: Handle) {
        let given_up: Vec<Handle> = self.with_operations(|operations| {
            let from = operations.partition_point(|(handle, _)| *handle < first);
            let is_undone = |operation: &Operation| matches!(operation, Operation::Compensation(_));
            let given_up = operations[from..].iter().filter(|(_, operation)| !is_undone(operation));
            given_up.map(|(handle, _)| *handle).collect()
        });
        given_up.into_iter().for_each(|handle| self.settle(handle));
    }

    /// Whether a request to cancel ends this operation.
    pub(crate) fn ends(&self, handle: Handle) -> bool {
        handle < self.fields().cancelled_below.get()
    }

    pub(crate) fn with_arrivals<T>(&self, access: impl FnOnce(&mut Arrivals) -> T) -> T {
        access(&mut self.fields().arrivals.borrow_mut())
    }

    pub(crate) fn with_operations<T>(
        &self,
        access: impl FnOnce(&mut Vec<(Handle, Operation)>) -> T,
    ) -> T {
        access(&mut self.fields().operations.borrow_mut())
    }

    /// Runs `step` so that polling an operation drops it. Otherwise the machine does not change.
    pub(crate) fn give_up<T>(&self, step: impl FnOnce() -> T) -> T {
        let fields = self.fields();
        let outer = fields.giving_up.replace(true);
        let value = step();
        fields.giving_up.set(outer);
        value
    }

    pub(crate) fn is_giving_up(&self) -> bool {
        self.fields().giving_up.get()
    }

    /// A context for a step that only describes the machine.
    pub(crate) fn describing() -> Self {
        let run = RunInfo { run_id: RunId::from(Uuid::nil()), workflow_id: "".into() };
        let cx = Self::new(run, "", 0, Vec::new());
        cx.fields().description.replace(Some(Description::default()));
        cx
    }

    /// Whether the step only describes the machine.
    pub(crate) fn is_describing(&self) -> bool {
        self.fields().description.borrow().is_some()
    }

    /// Records the description of the machine.
    pub(crate) fn describe(&self, description: Description) {
        self.fields().description.replace(Some(description));
    }

    /// Records serde's names of the fields on the path to a saved part.
    pub(crate) fn describe_part(&self, saved: &'static str, fields: Option<Vec<String>>) {
        if let Some(description) = &mut *self.fields().description.borrow_mut() {
            description.parts.insert(saved, fields);
        }
    }

    /// Records hashes of the contents of the constants of which borrows are made again.
    pub(crate) fn describe_constants(&self, contents: Vec<u64>) {
        if let Some(description) = &mut *self.fields().description.borrow_mut() {
            description.constants = contents;
        }
    }

    pub(crate) fn take_description(&self) -> Description {
        self.fields().description.take().unwrap_or_default()
    }

    /// The id of a new child, and its number among the run's operations.
    pub(crate) fn new_child(&self) -> (RunId, u64) {
        let fields = self.fields();
        let number = fields.next_handle.get();
        fields.next_handle.set(number + 1);
        // A step that is repeated before its commit starts the same child.
        let half = |half: u8| {
            let mut hasher = DefaultHasher::new();
            (fields.run.run_id, "child", number, half).hash(&mut hasher);
            hasher.finish().to_be_bytes()
        };
        let (left, right) = (half(0), half(1));
        let mut random = [0; 10];
        random[..8].copy_from_slice(&left);
        random[8..].copy_from_slice(&right[..2]);
        let millis = u64::try_from(self.now().as_micros() / 1_000).unwrap_or_default();
        (uuid::Builder::from_unix_timestamp_millis(millis, &random).into_uuid().into(), number)
    }

    pub(crate) fn next_handle(&self) -> u64 {
        self.fields().next_handle.get()
    }
}

impl fmt::Debug for Context {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.fields().fmt(f)
    }
}

/// Whether it is executed outside of the run's owner.
pub(crate) fn is_on_queue(operation: &Operation) -> bool {
    matches!(operation, Operation::Activity(activity) if activity.queue.is_some())
}

/// Whether a request to cancel waits for the end of a shielded operation. It is then kept from other waits as well.
pub(crate) fn is_shielded(operations: &[(Handle, Operation)]) -> bool {
    let shield = operations.iter().any(|(_, operation)| matches!(operation, Operation::Shield(_)));
    shield && !awaits_cancel(operations)
}

fn awaits_cancel(operations: &[(Handle, Operation)]) -> bool {
    operations.iter().any(|(_, operation)| matches!(operation, Operation::Cancellation))
}
