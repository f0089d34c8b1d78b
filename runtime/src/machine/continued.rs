//! Continuing as a new run with the same workflow id.

use super::unreadable::unreadable;
use super::{Context, StepError, Workflow, WorkflowCall, WorkflowEntry};
use crate::error::Error;
use crate::model::{Operation, Payload};

/// The run that follows one which continues as new.
#[derive(Debug)]
pub struct NextRun {
    /// The stored name of its workflow.
    pub workflow: &'static str,
    /// The workflow.
    pub entry: &'static WorkflowEntry,
    /// Its encoded arguments.
    pub arguments: Payload,
    /// The answers that it owes from its beginning, as operations.
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
    /// Ends this run and continues with `call` as a new one: `return cx.continue_as_new(bill(customer, month + 1));`.
    /// The new run has the same workflow id and another run id, and nothing of this one's state, so a workflow that goes
    /// on for ever stays small.
    ///
    /// One commit closes this run and starts the new one. Signals that this run has not taken, and a request to cancel
    /// that it has not seen, go over in their order, with all dedup keys. The two are runs of one chain: whoever waits
    /// for the result gets that of the last, a parent keeps its child, and children of this run keep their parent. What
    /// this run still waits for is given up.
    ///
    /// Updates that this run has not taken go over as well. One that it has taken and not answered goes over if `call`
    /// has the [`UpdateRequest`](super::UpdateRequest) or its [`Answer`](super::Answer) among its arguments: the new run
    /// answers it. Otherwise its sender gets [`UpdateError::Dropped`](crate::error::UpdateError::Dropped).
    ///
    /// A run that has noted compensations with [`Context::on_failure`] fails instead, and carries them out: disarm them first.
    ///
    /// It gives no value: the code behind it is not carried out. Its type is whatever the workflow returns. `call` may
    /// be one of another workflow. Called within an inline workflow, it ends the run that this is a part of.
    ///
    /// # Panics
    /// In a program in which panics end the process (`panic = "abort"`), it is one: the step is ended by unwinding.
    pub fn continue_as_new<W: Workflow, T>(&self, call: WorkflowCall<W>) -> T {
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
