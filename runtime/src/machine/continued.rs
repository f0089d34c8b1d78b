//! Continuing as a new run with the same workflow id.

use super::unreadable::unreadable;
use super::{Context, StepError, Workflow, WorkflowCall, WorkflowEntry};
use crate::error::Error;
use crate::model::{Operation, Payload};

/// The run that another one continues as.
#[derive(Debug)]
pub struct NextRun {
    /// The stored name of its workflow.
    pub workflow: &'static str,
    /// The workflow.
    pub entry: &'static WorkflowEntry,
    /// Its encoded arguments.
    pub arguments: Payload,
    /// Unanswered updates that it takes over, as operations.
    pub(crate) answers: Vec<Operation>,
}

impl PartialEq for NextRun {
    fn eq(&self, other: &Self) -> bool {
        (self.workflow, &self.arguments, &self.answers)
            == (other.workflow, &other.arguments, &other.answers)
    }
}

impl Clone for NextRun {
    fn clone(&self) -> Self {
        Self { arguments: self.arguments.clone(), answers: self.answers.clone(), ..*self }
    }
}

/// For workflow code.
impl Context {
    /// Ends this run and continues with `call` as a new one: `return cx.continue_as_new(bill(customer, month +
    /// 1));`. The new run has the same workflow id, another run id, and none of this run's state, so a workflow
    /// that runs forever stays small.
    ///
    /// One commit closes this run and starts the new one. Signals that this run has not taken, and a request to
    /// cancel that it has not seen, move to the new run in order, with all dedup keys. The two are runs of one
    /// chain: a wait for the result returns the result of the last run, a parent keeps its child, and children of
    /// this run keep their parent. Operations that this run still waits for are dropped.
    ///
    /// Updates that this run has not taken move as well. An update that it has taken and not answered moves if
    /// `call` has the [`UpdateRequest`](super::UpdateRequest) or its [`Answer`](super::Answer) among its arguments;
    /// the new run then answers it. Otherwise its sender gets
    /// [`UpdateError::Dropped`](crate::error::UpdateError::Dropped).
    ///
    /// A run with compensations registered by [`Context::on_failure`] fails instead, and executes them: disarm them
    /// first.
    ///
    /// Never returns: the code after it is not executed. `call` may belong to another workflow that returns the same
    /// type, because whoever waits for the result gets that of the last run: `return` makes rustc compare the types. In an
    /// inline workflow, it ends the run that contains it; write `let _ = cx.continue_as_new(…); unreachable!()` there if
    /// the types differ.
    ///
    /// ```compile_fail
    /// # use piton::prelude::*;
    /// #[workflow]
    /// async fn name(id: u64) -> String {
    ///     format!("{id}")
    /// }
    ///
    /// #[workflow]
    /// async fn number(cx: &Context, id: u64) -> u64 {
    ///     return cx.continue_as_new(name(id)); // whoever waits for the number would get a name
    /// }
    /// ```
    ///
    /// # Panics
    /// Ends the step by unwinding, so it is a panic in programs with `panic = "abort"`.
    #[must_use = "write `return cx.continue_as_new(…)`, so that rustc compares the types of the results"]
    pub fn continue_as_new<W: Workflow>(&self, call: WorkflowCall<W>) -> W::Return {
        let is_noted = self.with_operations(|operations| {
            let mut operations = operations.iter().map(|(_, operation)| operation);
            operations.any(|operation| matches!(operation, Operation::Compensation(_)))
        });
        if is_noted {
            unreadable(StepError::Failed(Error::msg(
                "a run that has noted compensations cannot continue as new: disarm them first",
            )));
        }
        let Some(workflow) = W::registered_name() else {
            unreadable(StepError::Failed(Error::msg(format!(
                "`{}` is an instance of a generic workflow that is not registered: write \
                 `piton::register!(…::<…>);` with the function and its types",
                std::any::type_name::<W>()
            ))));
        };
        match call.into_arguments() {
            Ok(arguments) => unreadable(StepError::Continued(Box::new(NextRun {
                workflow,
                entry: W::entry(),
                arguments,
                answers: Vec::new(),
            }))),
            Err(error) => unreadable(StepError::Encode(error)),
        }
    }
}
