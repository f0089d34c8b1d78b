//! Runs that may kill the processes of their workers, for example by endless recursion.
//!
//! If the owner of a run dies, another worker takes the run over; a run that kills its owner will kill the next
//! one, too. The store counts how many owners have died with a run since its last commit. A run that was taken over
//! several times in a row is a *suspect*. A worker first lets its other runs commit, and then drives its suspects
//! one at a time, each until its commit, in an order that is random in each life of the process. Suspects that do
//! not kill the process make progress this way, and after [`MAX_LOST`] owners a run is
//! [blocked](BlockedReason::WorkersDied).

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{Mutex, OwnedMutexGuard};
use tokio::time::sleep;

use super::phase::{Phase, Phases};
use super::retry;
use crate::model::{BlockedReason, Handle, RunId};

/// The number of lost owners in a row that makes a run a suspect. One or two may be lost with the host or the
/// database.
const SUSPECTED_AFTER: u32 = 2;

/// The maximum number of lost owners in a row. In each life, on average half of the suspects are driven before the
/// one that kills the process, so of 16,384 harmless suspects about one is blocked with it. With a supervisor that
/// restarts workers at once, this takes less than half a minute.
const MAX_LOST: u32 = 16;

/// How long suspects wait for the other runs to commit: longer than a database takes for a batch.
const HEAD_START: Duration = Duration::from_millis(200);

/// The suspects of one worker. One at a time is driven. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub(crate) struct Suspects(Arc<Mutex<()>>);

/// The right of a suspect to be driven, until dropped; empty for other runs.
#[derive(Debug, Default)]
pub(crate) struct Turn(Option<OwnedMutexGuard<()>>);

impl Suspects {
    /// Waits until a run with this number of lost owners may be driven. `None` if the worker shuts down meanwhile.
    /// Cancellation safe.
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
    /// Lets the next suspect be driven.
    pub(crate) fn pass_on(&mut self) {
        self.0 = None;
    }
}

/// Why a run with this number of lost owners must not be driven, if so.
pub(crate) fn verdict(lost: u32) -> Option<BlockedReason> {
    (lost >= MAX_LOST).then(|| {
        BlockedReason::WorkersDied(format!(
            "{lost} workers in a row died, or lost their lease, while they had the run, and none of them has \
             committed a step of it. Does a step end its process, as an endless recursion does?"
        ))
    })
}
