//! The handles in a saved type, and the operations behind them, which the encoding does not show.

use std::cell::RefCell;

use super::Awaited;
use crate::codec::Described;

thread_local! {
    /// The handles found while a type is traced.
    static SHOWN: RefCell<Option<Vec<&'static Awaited>>> = const { RefCell::new(None) };
}

/// Records a handle. Each handle calls this when it is deserialized.
pub(super) fn note(awaited: &'static Awaited) {
    SHOWN.with_borrow_mut(|shown| shown.iter_mut().for_each(|shown| shown.push(awaited)));
}

/// The operations of the handles in values of a type, possibly with repetitions.
pub(super) fn in_type(described: Described) -> Vec<&'static Awaited> {
    SHOWN.set(Some(Vec::new()));
    let _ = described.schema();
    SHOWN.take().unwrap_or_default()
}
