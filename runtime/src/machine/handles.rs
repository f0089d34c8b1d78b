//! The handles in a saved type: what awaiting them gives, which their encoding does not tell.

use std::cell::RefCell;

use super::Awaited;
use crate::codec::Described;

thread_local! {
    /// The handles that a type shows while it is traced for them.
    static SHOWN: RefCell<Option<Vec<&'static Awaited>>> = const { RefCell::new(None) };
}

/// Called by each handle that is read.
pub(super) fn note(awaited: &'static Awaited) {
    SHOWN.with_borrow_mut(|shown| shown.iter_mut().for_each(|shown| shown.push(awaited)));
}

/// What the handles in values of a type await. Some may be there more than once.
pub(super) fn in_type(described: Described) -> Vec<&'static Awaited> {
    SHOWN.set(Some(Vec::new()));
    let _ = described.schema();
    SHOWN.take().unwrap_or_default()
}
