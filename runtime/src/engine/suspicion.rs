//! Tracks whether the database may have assigned runs or attempts that the worker does not know of.
//!
//! It may have done so if the response to a claim was lost. Then a *look* queries the database for what the worker
//! owns. One look is not enough: the server may execute a request after its connection broke, and after a look that
//! found nothing. So a worker looks at every sweep for some time after a lost response. It also looks occasionally
//! without a reason, because no limit is known for such delays. These looks also find a run that was assigned a
//! second time while the worker still held it, which an earlier look skips.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

/// How long to look at every sweep after a connection was lost: longer than servers, and proxies in front of them,
/// usually keep a request, and longer than the server may take to respond.
const MAY_COME_LATE: Duration = Duration::from_secs(120);

/// The longest time without a look, which limits how late anything is found. One look costs a query that reads one
/// index entry for each run held.
const LOOK_ANYWAY: Duration = Duration::from_secs(60);

/// See the [module documentation](self).
#[derive(Debug)]
pub(crate) struct Suspicion {
    stands: AtomicBool,
    /// When a suspicion was last noted.
    noted_at: Mutex<Option<Instant>>,
    /// When a look was last answered.
    looked_at: Mutex<Instant>,
}

impl Default for Suspicion {
    fn default() -> Self {
        Self {
            stands: AtomicBool::new(false),
            noted_at: Mutex::new(None),
            looked_at: Mutex::new(Instant::now()),
        }
    }
}

impl Suspicion {
    /// Notes that something may have been assigned.
    pub(crate) fn note(&self) {
        *lock(&self.noted_at) = Some(Instant::now());
        self.stand();
    }

    /// Requests a look although nothing new may have been assigned.
    pub(crate) fn stand(&self) {
        self.stands.store(true, Ordering::Release);
    }

    /// Whether a suspicion is open.
    pub(crate) fn stands(&self) -> bool {
        self.stands.load(Ordering::Relaxed)
    }

    /// Begins a look, if a suspicion is open or it is time for a look without a reason.
    pub(crate) fn look_into(&self) -> Option<Inquiry<'_>> {
        let stands = self.stands.swap(false, Ordering::AcqRel);
        let is_due = || lock(&self.looked_at).elapsed() >= LOOK_ANYWAY;
        let looks = stands || self.may_come_late() || is_due();
        looks.then(|| Inquiry { suspicion: self, stands })
    }

    /// Whether a delayed request may still be executed.
    fn may_come_late(&self) -> bool {
        lock(&self.noted_at).is_some_and(|at| at.elapsed() < MAY_COME_LATE)
    }
}

/// Each value is consistent at any time, so a poisoned lock is usable.
fn lock<T>(value: &Mutex<T>) -> MutexGuard<'_, T> {
    value.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A look. If a suspicion was open, it is open again when this is dropped without an answer, for example with its
/// task.
#[derive(Debug)]
pub(crate) struct Inquiry<'a> {
    suspicion: &'a Suspicion,
    stands: bool,
}

impl Inquiry<'_> {
    /// Ends the look with an answer. Suspicions noted meanwhile stay open.
    pub(crate) fn answered(self) {
        *lock(&self.suspicion.looked_at) = Instant::now();
        std::mem::forget(self);
    }
}

impl Drop for Inquiry<'_> {
    fn drop(&mut self) {
        if self.stands {
            self.suspicion.stand();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn what_was_noted_may_come_true_late() {
        let suspicion = Suspicion::default();
        suspicion.note();
        suspicion.look_into().expect("it is noted").answered();
        assert!(!suspicion.stands());
        tokio::time::advance(Duration::from_secs(60)).await;
        drop(suspicion.look_into().expect("it may come late"));
        assert!(!suspicion.stands(), "nothing was asked for since the answer");
        tokio::time::advance(MAY_COME_LATE).await;
        suspicion.look_into().expect("it is time to look anyway").answered();
        assert!(suspicion.look_into().is_none());
        suspicion.stand();
        suspicion.look_into().expect("it stands").answered();
        assert!(suspicion.look_into().is_none());
    }

    #[tokio::test(start_paused = true)]
    async fn there_is_a_look_now_and_then_without_any_suspicion() {
        let suspicion = Suspicion::default();
        for _ in 0..3 {
            tokio::time::advance(LOOK_ANYWAY - Duration::from_millis(1)).await;
            assert!(suspicion.look_into().is_none());
            tokio::time::advance(Duration::from_millis(1)).await;
            drop(suspicion.look_into().expect("it is time"));
            suspicion.look_into().expect("the last had no answer").answered();
        }
        assert!(!suspicion.stands());
    }

    #[test]
    fn a_look_that_is_broken_off_leaves_the_suspicion() {
        let suspicion = Suspicion::default();
        assert!(suspicion.look_into().is_none());
        assert!(!suspicion.stands());
        suspicion.note();
        drop(suspicion.look_into());
        assert!(suspicion.stands());
        suspicion.look_into().expect("it is noted").answered();
        assert!(!suspicion.stands());
    }

    #[test]
    fn what_is_noted_during_a_look_stands() {
        let suspicion = Suspicion::default();
        suspicion.note();
        let inquiry = suspicion.look_into().expect("it is noted");
        suspicion.note();
        inquiry.answered();
        assert!(suspicion.stands());
    }
}
