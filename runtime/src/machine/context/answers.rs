//! The answers of a run to updates.

use std::hash::{DefaultHasher, Hash, Hasher};

use super::Context;
use crate::machine::StepError;
use crate::machine::replies::Given;
use crate::model::{Handle, NewReply, Operation, UpdateReply};

/// Answers of steps that are not committed yet, and the number of unanswered updates.
#[derive(Debug, Default)]
pub(super) struct Answers {
    given: Vec<NewReply>,
    /// The number of unanswered updates among the operations.
    owed: usize,
}

impl Answers {
    /// The unanswered updates of a run with these operations.
    pub(super) fn of(operations: &[(Handle, Operation)]) -> Self {
        let is_owed = |(_, operation): &&(Handle, Operation)| is_answer(operation);
        Self { given: Vec::new(), owed: operations.iter().filter(is_owed).count() }
    }
}

fn is_answer(operation: &Operation) -> bool {
    matches!(operation, Operation::Answer { .. })
}

impl Context {
    /// Records that the run has taken an update. Returns the token that identifies the request.
    pub(crate) fn owe_answer(&self, update: &str) -> String {
        let fields = self.fields();
        let handle = Handle(fields.next_handle.get());
        fields.next_handle.set(handle.0 + 1);
        // No other request has this token, so a state that contains it contains the request.
        let half = |number: u8| {
            let mut hasher = DefaultHasher::new();
            (fields.run.run_id, handle.0, number).hash(&mut hasher);
            hasher.finish()
        };
        let token = format!("{:016x}{:016x}", half(0), half(1));
        let answer = Operation::Answer { update: update.to_owned(), token: token.clone() };
        fields.operations.borrow_mut().push((handle, answer));
        fields.answers.borrow_mut().owed += 1;
        token
    }

    /// Collects the answers of a step.
    ///
    /// # Errors
    /// [`StepError::Encode`] if a value cannot be encoded.
    pub(crate) fn answer(&self, given: Vec<Given>) -> Result<(), StepError> {
        for Given { token, reply } in given {
            self.settle_answer(&token, reply.map_err(StepError::Encode)?);
        }
        Ok(())
    }

    /// Answers updates whose requests the run no longer has: `frame` is everything that it saves.
    pub(crate) fn answer_dropped(&self, frame: &[u8]) {
        if self.fields().answers.borrow().owed == 0 {
            return;
        }
        let holds = |token: &str| frame.windows(token.len()).any(|part| part == token.as_bytes());
        let operations = self.fields().operations.borrow();
        let tokens = operations.iter().filter_map(|(_, operation)| match operation {
            Operation::Answer { token, .. } => Some(token),
            _ => None,
        });
        let dropped: Vec<String> = tokens.filter(|token| !holds(token)).cloned().collect();
        drop(operations);
        for token in dropped {
            self.settle_answer(&token, UpdateReply::Dropped);
        }
    }

    /// Settles the run's unanswered updates before its successor starts. Returns those that the successor answers,
    /// whose requests are in its `arguments`; the others are answered as dropped.
    pub(crate) fn hand_answers_over(&self, arguments: &[u8]) -> Vec<Operation> {
        self.answer_dropped(arguments);
        if self.fields().answers.borrow().owed == 0 {
            return Vec::new();
        }
        self.with_operations(|operations| {
            let owed = operations.iter().filter(|(_, operation)| is_answer(operation));
            owed.map(|(_, operation)| operation.clone()).collect()
        })
    }

    /// Takes over unanswered updates of the previous run.
    pub(crate) fn take_answers_over(&self, answers: Vec<Operation>) {
        let fields = self.fields();
        fields.answers.borrow_mut().owed += answers.len();
        for answer in answers {
            let handle = Handle(fields.next_handle.get());
            fields.next_handle.set(handle.0 + 1);
            fields.operations.borrow_mut().push((handle, answer));
        }
    }

    fn settle_answer(&self, answered: &str, reply: UpdateReply) {
        let fields = self.fields();
        let mut operations = fields.operations.borrow_mut();
        let is_it = |(_, operation): &(Handle, Operation)| match operation {
            Operation::Answer { token, .. } => token == answered,
            _ => false,
        };
        let Some(index) = operations.iter().position(is_it) else { return };
        if let (_, Operation::Answer { update, .. }) = operations.remove(index) {
            let mut answers = fields.answers.borrow_mut();
            answers.owed -= 1;
            answers.given.push(NewReply { update, reply });
        }
    }

    pub(crate) fn take_replies(&self) -> Vec<NewReply> {
        std::mem::take(&mut self.fields().answers.borrow_mut().given)
    }
}
