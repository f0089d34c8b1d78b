//! What generated code uses. Not a public API: it changes with the macros of the same version.

pub use std::task::Poll;

pub use inventory;

pub use crate::activities::{
    ActivityContext, ActivityEntry, ActivityReport, BoxFuture, ReportedError, report,
};

pub use crate::codec::{self, CodecError};
pub use crate::machine::{Activity, ActivityCall, ActivityError, ActivityOptions, ResultParts};
pub use crate::machine::{
    Context, Definition, FrameReader, FrameWriter, Fut, Local, MachineState, Outcome, Saved,
    StepError, Workflow, WorkflowCall, WorkflowEntry, WorkflowOptions, future, local,
};
pub use crate::model::{AwaitKind, Edge, Graph, Node, Payload, RetryPolicy, SavedLocal};
pub use crate::question::{FromResidual, Question};

/// Whether the step is to tell the schemas of its locals and nothing else.
pub fn is_describing(cx: &Context) -> bool {
    cx.is_describing()
}

/// Runs `within` so that everything it waits for must arrive before the next step.
pub fn wait_for_all<T>(cx: &Context, within: impl FnOnce() -> T) -> T {
    cx.wait_for_all(within)
}

/// Makes the next step follow at once.
pub fn wait_for_nothing(cx: &Context) {
    cx.wait_for_nothing();
}

/// The first state's arguments, kept as they came.
pub fn save_arguments(arguments: Payload) -> Saved {
    bytes::Bytes::from(arguments.0).into()
}

/// Reads the arguments out of the first state.
///
/// # Errors
/// [`StepError::Decode`] if they are not an `A`.
pub fn load_arguments<A: serde::de::DeserializeOwned>(saved: &Saved) -> Result<A, StepError> {
    let payload = Payload(saved.as_bytes().to_vec());
    codec::from_payload(&payload).map_err(StepError::Decode)
}

/// [`Activity::output`] of an activity that returns a `Result`.
pub fn result_output<R: ResultParts>(
    ended: Result<R, ActivityError<()>>,
) -> Result<R::Ok, ActivityError<R::Err>> {
    match ended {
        Ok(returned) => returned.into_result().map_err(ActivityError::Failed),
        Err(failure) => Err(failure.widen()),
    }
}
