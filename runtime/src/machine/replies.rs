//! The answers of a step to updates. A request is answered by one of its methods, without a context, so the answers are
//! collected per thread.

use std::cell::RefCell;

use crate::codec::CodecError;
use crate::model::UpdateReply;

/// An answer, by the token of the request.
pub(crate) struct Given {
    pub(super) token: String,
    pub(super) reply: Result<UpdateReply, CodecError>,
}

thread_local! {
    /// The answers of the step that this thread makes, if it makes one.
    static GIVEN: RefCell<Option<Vec<Given>>> = const { RefCell::new(None) };
}

/// Puts back what was collected before, also if the step panics.
struct Collecting {
    outer: Option<Vec<Given>>,
}

impl Drop for Collecting {
    fn drop(&mut self) {
        GIVEN.set(self.outer.take());
    }
}

/// Makes a step. Returns its answers.
pub(super) fn collect<T>(step: impl FnOnce() -> T) -> (T, Vec<Given>) {
    let _collecting = Collecting { outer: GIVEN.replace(Some(Vec::new())) };
    let value = step();
    (value, GIVEN.take().unwrap_or_default())
}

/// Adds an answer of the current step.
///
/// # Panics
/// If the thread makes no step.
pub(super) fn give(token: String, reply: Result<UpdateReply, CodecError>) {
    let is_given = GIVEN.with_borrow_mut(|given| match given {
        Some(given) => {
            given.push(Given { token, reply });
            true
        }
        None => false,
    });
    assert!(
        is_given,
        "an update is answered by the workflow that has taken it, and by nobody else"
    );
}
