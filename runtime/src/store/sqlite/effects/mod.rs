//! The effects of steps: a file for each kind of [effect](crate::store::Effect).
//!
//! All effects of a kind, of all steps of a commit, are written together. They touch only rows of the steps' own
//! runs.

pub(super) mod attributes;
pub(super) mod enqueue;
pub(crate) mod give_up;
mod history;
mod pause;
mod reply;
pub(super) mod send;
mod set_aside;

use std::ops::Range;

use super::SqliteStore;
use super::script::{Rows, Script};
use crate::error::StoreError;
use crate::model::Timestamp;
use crate::store::effects::Effects;

/// Adds the statements. Returns how many of them return removed activities; those come first.
pub(crate) fn add(
    script: &mut Script,
    effects: &Effects<'_>,
    now: Timestamp,
) -> Result<usize, StoreError> {
    let given_up = give_up::add(script, &effects.given_up);
    enqueue::add(script, &effects.enqueued, now);
    send::add(script, &effects.sent, now)?;
    set_aside::add(script, &effects.set_aside, now);
    attributes::add(script, &effects.attributes);
    attributes::add_memos(script, &effects.memos);
    reply::add(script, &effects.replied, now)?;
    pause::add(script, &effects.paused);
    history::add(script, &effects.kept, now);
    Ok(given_up)
}

/// Sends the notifications of committed effects; removed activities are in these of `rows`.
pub(crate) fn announce(
    store: &SqliteStore,
    effects: &Effects<'_>,
    rows: &mut Rows,
    given_up: Range<usize>,
) -> Result<(), sqlx::Error> {
    enqueue::announce(store, &effects.enqueued);
    for statement in given_up {
        give_up::announce(store, rows, statement)?;
    }
    Ok(())
}
