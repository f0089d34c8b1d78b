//! Runs that may kill the processes of their workers, for example by endless recursion.
//!
//! A run whose owner dies goes on with another, and if it is the run that kills its owner, with another after
//! that. The store counts how many owners have lost a run since its last commit. A run that was lost a few times
//! in a row is a *suspect*: a worker lets those commit first that are not, and then drives its suspects one at a
//! time until each has committed, in an order drawn anew in each life. So whatever a suspect does not end goes on,
//! and after [`MAX_LOST`] owners a run is [blocked](BlockedReason::WorkersDied) without another look.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{Mutex, OwnedMutexGuard};
use tokio::time::sleep;

use super::phase::{Phase, Phases};
use super::retry;
use crate::model::{BlockedReason, Handle, RunId};

/// From how many owners that were lost in a row a run is a suspect. One or two may be lost with the host or the
/// database.
const SUSPECTED_AFTER: u32 = 2;

/// How many owners may be lost in a row. In each life half of the suspects have their turn before the one that
/// ends it, so that of 16,384 harmless ones about one is blocked with it. A supervisor that starts workers at once
/// is through with it in less than half a minute.
const MAX_LOST: u32 = 16;

/// How long suspects wait for the others to commit: longer than a database takes for a batch.
const HEAD_START: Duration = Duration::from_millis(200);

/// The suspects of one worker, of which one at a time is driven. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub(crate) struct Suspects(Arc<Mutex<()>>);

/// The turn of a suspect, until it is dropped; empty for a run that is none.
#[derive(Debug, Default)]
pub(crate) struct Turn(Option<OwnedMutexGuard<()>>);

impl Suspects {
    /// Waits until a run may be driven that so many owners were lost with. `None` if the worker shuts down
    /// meanwhile. Cancellation safe.
    pub(crate) async fn turn(&self, run_id: RunId, lost: u32, phases: &Phases) -> Option<Turn> {
        if lost < SUSPECTED_AFTER {
            return Some(Turn(None));
        }
        let turn = async {
            let draw = retry::draw(run_id, Handle(0), lost);
            sleep(HEAD_START + HEAD_START.mul_f64(draw)).await;
            Turn(Some(Arc::clone(&self.0).lock_owned().await))
        };
        tokio::select! {
            biased;
            _ = phases.after(Phase::Serving) => None,
            turn = turn => Some(turn),
        }
    }
}

impl Turn {
    /// Lets the next suspect have its turn.
    pub(crate) fn pass_on(&mut self) {
        self.0 = None;
    }
}

/// Why a run is not to be driven any more, if so many owners were lost with it.
pub(crate) fn verdict(lost: u32) -> Option<BlockedReason> {
    (lost >= MAX_LOST).then(|| {
        BlockedReason::WorkersDied(format!(
            "{lost} workers in a row died, or lost their lease, while they had the run, and none of them has \
             committed a step of it. Does a step end its process, as an endless recursion does?"
        ))
    })
}
