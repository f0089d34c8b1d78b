//! Children: runs that another run starts and can await.
//!
//! A child is started by a message of the step that requests it, so starting it does not wait. A parent that awaits
//! the child requests its end in the same message, or in a second one. Only awaited ends are reported.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Poll;

use serde::{Deserialize, Deserializer, Serialize};

use super::child_options::NewOptions;
use super::future::sealed::Sealed;
use super::named::{NameOf, OfWorkflow};
use super::{
    Awaited, ChildError, Context, DurableFuture, Machine, OperationOutcome, Outcome as _, RunInfo,
    Signal, StepError, Workflow, WorkflowCall, WorkflowEntry, handles,
};
use crate::codec::CodecError;
use crate::error::{Error, KeyError};
use crate::model::{
    ChildEnd, ChildStart, Handle, Message, Operation, OutgoingMessage, ParentClose, Payload, RunId,
    RunStatus, Timestamp,
};

/// A child started with [`Context::start_child`]: a run of `W`, with all runs that follow it in its chain.
///
/// The handle is plain data: it can be held across awaits, put in a list, and passed as an argument. Its saved form has
/// the name of the workflow, and is not read as a handle of another workflow. Awaiting it returns the child's result.
/// Dropping it has no effect on the child.
///
/// ```
/// use piton::prelude::*;
///
/// #[workflow]
/// async fn bill(customer: String) -> piton::Result<u64> {
///     Ok(customer.len() as u64)
/// }
///
/// #[workflow]
/// async fn bill_all(cx: &Context, customers: Vec<String>) -> piton::Result<u64> {
///     let mut bills = Vec::new();
///     for customer in customers {
///         bills.push(cx.start_child(bill(customer)));
///     }
///     let mut sum = 0;
///     for bill in bills {
///         sum += bill.await?;
///     }
///     Ok(sum)
/// }
/// ```
#[derive(Serialize, Deserialize)]
#[serde(bound = "W: Workflow")]
pub struct ChildHandle<W> {
    /// The workflow, so that the handle is not read as that of another one.
    workflow: NameOf<OfWorkflow<W>>,
    /// The first run of its chain.
    #[serde(deserialize_with = "read_child::<W, _>")]
    child: RunId,
    /// The workflow id.
    workflow_id: String,
    /// `None` after the step that starts it.
    #[serde(skip)]
    start: Option<Arc<StartOfChild>>,
}

/// Reads the run id, and records the handle.
fn read_child<'de, W: Workflow, D: Deserializer<'de>>(from: D) -> Result<RunId, D::Error> {
    handles::note(&ChildHandle::<W>::AWAITED);
    RunId::deserialize(from)
}

impl<W: Workflow> ChildHandle<W> {
    /// Sets the business key of the child: no two open runs share one. At least one byte, at most 1,000, without the
    /// character NUL; with another one the step fails, and the parent with it. If an open run has it when the child is
    /// started, awaiting the child gives [`ChildError::IdTaken`]. Default: made of the arguments by
    /// `#[workflow(id = "…")]`, or else of the parent's run id.
    ///
    /// # Panics
    /// If the child was started in an earlier step. The run is then blocked, as by any panic.
    #[must_use = "the child is started without it, but this is its handle"]
    pub fn id(mut self, workflow_id: impl Into<String>) -> Self {
        self.workflow_id = workflow_id.into();
        let workflow_id = self.workflow_id.clone();
        self.configure(|start| start.workflow_id = workflow_id)
    }

    /// Sets what happens to the child if it is open when its parent completes, fails, times out, is cancelled or is
    /// terminated, and no run follows the parent. If one does, for example because the parent
    /// [continues as new](Context::continue_as_new), the child stays with it, unless it
    /// [ends with the run](Self::ends_with_run). Default: the child is terminated.
    ///
    /// # Panics
    /// See [`ChildHandle::id`].
    #[must_use = "the child is started without it, but this is its handle"]
    pub fn on_parent_close(self, policy: ParentClose) -> Self {
        self.configure(|start| start.on_parent_close = policy)
    }

    pub(super) fn configure(self, change: impl FnOnce(&mut Start)) -> Self {
        match self.start.as_ref().and_then(|start| start.lock()) {
            Some(mut start) => change(start.get()),
            None => panic!("the settings of a child are made where it is started, before an await"),
        }
        self
    }

    /// The child's workflow id.
    pub fn workflow_id(&self) -> &str {
        &self.workflow_id
    }

    /// The id of the child's first run. If the child continues as new, later runs have other ids.
    pub fn run_id(&self) -> RunId {
        self.child
    }

    /// Waits for the child's result without consuming the handle: the child may be awaited several times, also in
    /// several branches.
    pub fn result(&self) -> ChildResult<W> {
        ChildResult(self.clone())
    }

    /// Sends the child a signal, like [`Context::signal_run`]. If the child has closed, the signal becomes a dead
    /// letter, even if another run has its workflow id.
    pub fn signal<S: Signal>(&self, cx: &Context, signal: S) {
        cx.signal_child(self.child, &self.workflow_id, signal);
    }

    /// Requests the child to cancel. Does not wait. If the child has closed, the request becomes a dead letter.
    pub fn cancel(&self, cx: &Context, reason: impl Into<String>) {
        let cancel = Message::Cancel { reason: reason.into() };
        cx.send_child(self.child, &self.workflow_id, Ok(cancel));
    }
}

/// Both handles are of the same child. Its options are set before.
impl<W> Clone for ChildHandle<W> {
    fn clone(&self) -> Self {
        let Self { workflow, child, workflow_id, start } = self;
        Self {
            workflow: workflow.clone(),
            child: *child,
            workflow_id: workflow_id.clone(),
            start: start.clone(),
        }
    }
}

impl<W> std::fmt::Debug for ChildHandle<W> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ChildHandle")
            .field("run_id", &self.child)
            .field("workflow_id", &self.workflow_id)
            .finish_non_exhaustive()
    }
}

/// A wait for the end of a child, created by [`ChildHandle::result`].
#[must_use = "the end of the child is not waited for until this is awaited"]
pub struct ChildResult<W>(ChildHandle<W>);

impl<W> std::fmt::Debug for ChildResult<W> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("ChildResult").field(&self.0.workflow_id).finish()
    }
}

/// A child that the current step starts.
#[derive(Debug)]
pub(crate) struct StartOfChild(Mutex<Option<Start>>);

#[derive(Debug)]
pub(super) struct Start {
    workflow_id: String,
    on_parent_close: ParentClose,
    pub(super) options: NewOptions,
    awaited_by: Option<Handle>,
    run_id: RunId,
    /// The stored name; `None` for an instance that is not registered.
    workflow: Option<&'static str>,
    type_name: &'static str,
    entry: &'static WorkflowEntry,
    arguments: Result<Payload, CodecError>,
}

/// The options of a child that the current step starts.
struct Settings<'a>(MutexGuard<'a, Option<Start>>);

impl Settings<'_> {
    fn get(&mut self) -> &mut Start {
        self.0.as_mut().expect("it was there when this was made")
    }

    fn is_not_awaited(&self) -> bool {
        self.0.as_ref().is_some_and(|start| start.awaited_by.is_none())
    }
}

impl StartOfChild {
    /// `None` after the step.
    fn lock(&self) -> Option<Settings<'_>> {
        // The value is consistent after every change, so a poisoned lock is usable.
        let start = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        start.is_some().then(|| Settings(start))
    }

    /// The message that starts the child at about `now`, with its first snapshot. Its options cannot be changed afterwards.
    ///
    /// # Errors
    /// The child's options or arguments are not valid.
    pub(crate) fn into_message(
        self: Arc<Self>,
        now: Timestamp,
    ) -> Result<OutgoingMessage, StepError> {
        let taken = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        let start = taken.expect("a child is started once");
        let Start { workflow_id: to, run_id, entry, on_parent_close, awaited_by, .. } = start;
        if let Err(error) = KeyError::check(&to) {
            let shown = to.chars().take(40).collect::<String>();
            let context = format!("a child cannot be started with the workflow id {shown:?}");
            return Err(StepError::Failed(Error::from(error).context(context)));
        }
        let workflow = start.workflow.ok_or_else(|| {
            StepError::Failed(Error::msg(format!(
                "a child cannot be started: `{}` is an instance of a generic workflow that is not registered: write \
                 `piton::register!(…::<…>);` with the function and its types",
                start.type_name
            )))
        })?;
        let options = start.options.checked(now)?;
        let arguments = start.arguments.map_err(StepError::Encode)?;
        let run = RunInfo { run_id, workflow_id: to.as_str().into() };
        let machine = Machine::start(entry, run, &arguments)?;
        let body = Message::Start(Box::new(ChildStart {
            run_id,
            workflow: workflow.to_owned(),
            arguments,
            snapshot: machine.encode_snapshot().map_err(StepError::Encode)?,
            state: machine.state().to_owned(),
            definition: entry.definition().hash(),
            on_parent_close,
            awaited_by,
            options,
        }));
        Ok(OutgoingMessage { to, body })
    }
}

/// For workflow code.
impl Context {
    /// Starts a child: a separate run, on any worker with room, concurrent with this one. The start is certain once
    /// the current step is committed. Does not wait.
    ///
    /// Await the returned handle for the child's result, or keep it. Set options first:
    /// `cx.start_child(bill(customer)).id(format!("bill-{order}")).await?`. If no worker has the code of the
    /// child's workflow, the child waits for one.
    pub fn start_child<W: Workflow>(&self, call: WorkflowCall<W>) -> ChildHandle<W> {
        let (child, number) = self.new_child();
        let own_id = call.workflow_id.clone();
        let workflow_id = own_id.unwrap_or_else(|| format!("{}/{number}", self.run_id()));
        let start = Arc::new(StartOfChild(Mutex::new(Some(Start {
            workflow_id: workflow_id.clone(),
            on_parent_close: ParentClose::default(),
            options: NewOptions::default(),
            awaited_by: None,
            run_id: child,
            workflow: W::registered_name(),
            type_name: std::any::type_name::<W>(),
            entry: W::entry(),
            arguments: call.into_arguments(),
        }))));
        self.send_start(Arc::clone(&start));
        ChildHandle { workflow: NameOf::new(), child, workflow_id, start: Some(start) }
    }
}

/// The saved form of an awaited child.
#[derive(Debug, Serialize, Deserialize)]
pub struct PendingChild(Handle);

impl<W> Sealed for ChildHandle<W> {}
impl<W> Sealed for ChildResult<W> {}

type Awaits<W> = Result<<W as Workflow>::Output, ChildError<Failure<W>>>;
type Failure<W> = <<W as Workflow>::Shape as super::Outcome<<W as Workflow>::Return>>::Failure;

#[diagnostic::do_not_recommend]
impl<W: Workflow> DurableFuture for ChildHandle<W> {
    type Output = Awaits<W>;
    type Pending = PendingChild;
    const AWAITED: Awaited =
        Awaited::Child { workflow: W::NAME, entry: W::entry, returned: W::RETURNED.kind.described };

    fn start(self, cx: &Context) -> Result<PendingChild, StepError> {
        let Self { child, workflow_id, start, .. } = self;
        let handle = cx.ask(Operation::Child {
            child,
            workflow_id: workflow_id.clone(),
            workflow: W::NAME.into(),
        });
        let settings = start.as_ref().and_then(|start| start.lock());
        match settings {
            Some(mut settings) if settings.is_not_awaited() => {
                settings.get().awaited_by = Some(handle);
            }
            _ => cx.send_plain(workflow_id, Message::AwaitChild { child, handle }),
        }
        Ok(PendingChild(handle))
    }

    fn poll(pending: &mut PendingChild, cx: &Context) -> Result<Poll<Self::Output>, StepError> {
        let PendingChild(handle) = *pending;
        let end = match cx.take_outcome(handle, |outcome| outcome.cloned()) {
            Some(OperationOutcome::Child(end)) => Some(*end),
            Some(_) => {
                let message = "the outcome of a child is that of an activity";
                return Err(StepError::Failed(Error::msg(message)));
            }
            None if cx.ends(handle) => None,
            None => {
                cx.wait_for(handle);
                return Ok(Poll::Pending);
            }
        };
        let workflow_id = workflow_id_of(handle, cx);
        cx.settle(handle);
        Ok(Poll::Ready(match end {
            Some(end) => ended::<W>(end, workflow_id)?,
            None => Err(ChildError::Interrupted),
        }))
    }

    fn cancel(pending: PendingChild, cx: &Context) -> Result<(), StepError> {
        cx.settle(pending.0);
        Ok(())
    }
}

#[diagnostic::do_not_recommend]
impl<W: Workflow> DurableFuture for ChildResult<W> {
    type Output = Awaits<W>;
    type Pending = PendingChild;
    const AWAITED: Awaited = ChildHandle::<W>::AWAITED;

    fn start(self, cx: &Context) -> Result<PendingChild, StepError> {
        self.0.start(cx)
    }

    fn poll(pending: &mut PendingChild, cx: &Context) -> Result<Poll<Self::Output>, StepError> {
        ChildHandle::<W>::poll(pending, cx)
    }

    fn cancel(pending: PendingChild, cx: &Context) -> Result<(), StepError> {
        <ChildHandle<W> as DurableFuture>::cancel(pending, cx)
    }
}

/// The workflow id of an awaited child.
fn workflow_id_of(handle: Handle, cx: &Context) -> String {
    cx.with_operations(|operations| {
        let index = operations.binary_search_by_key(&handle, |(handle, _)| *handle);
        match index.map(|index| &operations[index].1) {
            Ok(Operation::Child { workflow_id, .. }) => workflow_id.clone(),
            _ => String::new(),
        }
    })
}

fn ended<W: Workflow>(end: ChildEnd, workflow_id: String) -> Result<Awaits<W>, StepError> {
    Ok(match end {
        ChildEnd::IdTaken { run_id } => Err(ChildError::IdTaken { workflow_id, run_id }),
        ChildEnd::Unknown => Err(ChildError::Unknown { workflow_id }),
        ChildEnd::Closed { status, result, failure } => {
            let reason = failure.unwrap_or_default();
            match (status, result) {
                (RunStatus::Cancelled, _) => Err(ChildError::Cancelled { reason }),
                (RunStatus::Terminated, _) => Err(ChildError::Terminated { reason }),
                (RunStatus::TimedOut, _) => Err(ChildError::TimedOut { reason }),
                (_, Some(result)) => {
                    let returned = W::RETURNED.decode(&result).map_err(StepError::Decode)?;
                    W::Shape::into_result(returned)
                        .map_err(|error| ChildError::Failed(W::Shape::failure(error)))
                }
                // The retention of a worker has removed the result.
                (RunStatus::Completed, None) => Err(ChildError::Unknown { workflow_id }),
                (_, None) => Err(ChildError::Uncaught { reason }),
            }
        }
    })
}
