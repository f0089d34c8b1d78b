//! The dropped handles of spawned operations in a step.
//!
//! A machine drops what it saves, so the drop of a handle alone means nothing. An operation is cancelled if its
//! handle was read or created in the step, dropped, and not saved since. Locals that the step does not touch stay
//! bytes and do not appear here. A handle that is forgotten, or saved where nothing reads it again, keeps its
//! operation until the run closes.
//!
//! Handles are saved and dropped by code without a context. A step is synchronous, so they are recorded per thread.

use std::cell::RefCell;
use std::collections::BTreeMap;

use super::tag_of;
use crate::model::{Handle, RunId};

thread_local! {
    static OPEN: RefCell<Option<Open>> = const { RefCell::new(None) };
}

/// The records of the step that this thread runs.
struct Open {
    run: u32,
    handles: BTreeMap<Handle, Noted>,
}

#[derive(Default)]
struct Noted {
    /// The number of values of it.
    live: usize,
    /// Whether it was saved since it was last read.
    is_saved: bool,
}

/// Records what happens to handles while it exists.
pub(crate) struct Ledger(());

impl Ledger {
    /// Begins a step of this run.
    pub(crate) fn open(run: RunId) -> Self {
        let open = Open { run: tag_of(run), handles: BTreeMap::new() };
        OPEN.with_borrow_mut(|ledger| *ledger = Some(open));
        Self(())
    }

    /// The handles that the step has dropped.
    pub(crate) fn lost(self) -> Vec<Handle> {
        let open = OPEN.with_borrow_mut(Option::take);
        let handles = open.into_iter().flat_map(|open| open.handles);
        let lost = handles.filter(|(_, noted)| noted.live == 0 && !noted.is_saved);
        lost.map(|(handle, _)| handle).collect()
    }
}

impl Drop for Ledger {
    fn drop(&mut self) {
        OPEN.with_borrow_mut(|ledger| *ledger = None);
    }
}

/// Whether the thread runs a step of this run.
pub(super) fn is_of_run(run: u32) -> bool {
    OPEN.with_borrow(|ledger| ledger.as_ref().is_some_and(|open| open.run == run))
}

fn note(run: Option<u32>, handle: Handle, change: impl FnOnce(&mut Noted)) {
    OPEN.with_borrow_mut(|ledger| {
        if let Some(open) = ledger.as_mut().filter(|open| run.is_none_or(|run| run == open.run)) {
            change(open.handles.entry(handle).or_default());
        }
    });
}

/// An operation has been spawned.
pub(super) fn note_new(handle: Handle) {
    note(None, handle, |noted| noted.live += 1);
}

/// A handle has been read.
pub(super) fn note_loaded(run: u32, handle: Handle) {
    note(Some(run), handle, |noted| *noted = Noted { live: noted.live + 1, is_saved: false });
}

/// A handle has been written.
pub(super) fn note_saved(run: u32, handle: Handle) {
    note(Some(run), handle, |noted| noted.is_saved = true);
}

/// A handle has been dropped.
pub(super) fn note_dropped(run: u32, handle: Handle) {
    note(Some(run), handle, |noted| noted.live = noted.live.saturating_sub(1));
}

/// A handle was consumed: its operation is awaited, which keeps it.
pub(super) fn note_used(handle: Handle) {
    OPEN.with_borrow_mut(|ledger| {
        if let Some(open) = ledger {
            open.handles.remove(&handle);
        }
    });
}
