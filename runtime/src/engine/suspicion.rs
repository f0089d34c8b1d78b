//! Tracks whether the database may have assigned runs or attempts that the worker does not know of.
//!
//! It may have when the answer to a claim was lost. Then a *look* asks the database what the worker owns. One look
//! is not enough: the server may carry out a request after its connection broke, and after a look that found
//! nothing. So a worker looks at every sweep for a while after a lost answer, and now and then without any reason,
//! because nobody can say how late such a request may be. The looks without a reason also find a run that was given
//! a second time while the worker still held it, which an earlier look leaves out.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

/// For how long what was sent on a connection that is gone is looked for at every sweep: longer than
/// servers and what lies before them usually keep a message, and than the server may take to answer.
const MAY_COME_LATE: Duration = Duration::from_secs(120);

/// How long it may go without a look: what comes later still is found after this time. One look costs
/// a query that reads one entry of an index for each run held.
const LOOK_ANYWAY: Duration = Duration::from_secs(60);

/// See the [module documentation](self).
#[derive(Debug)]
pub(crate) struct Suspicion {
    stands: AtomicBool,
    /// When it was noted last.
    noted_at: Mutex<Option<Instant>>,
    /// When a look was answered last.
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
    /// Notes that something may have been given.
    pub(crate) fn note(&self) {
        *lock(&self.noted_at) = Some(Instant::now());
        self.stand();
    }

    /// Asks for a look, though nothing new may have been given.
    pub(crate) fn stand(&self) {
        self.stands.store(true, Ordering::Release);
    }

    /// Whether there is something to look into of which no look has told.
    pub(crate) fn stands(&self) -> bool {
        self.stands.load(Ordering::Relaxed)
    }

    /// Begins to look into it, if there is something to look into or it is time to look anyway.
    pub(crate) fn look_into(&self) -> Option<Inquiry<'_>> {
        let stands = self.stands.swap(false, Ordering::AcqRel);
        let is_due = || lock(&self.looked_at).elapsed() >= LOOK_ANYWAY;
        let looks = stands || self.may_come_late() || is_due();
        looks.then(|| Inquiry { suspicion: self, stands })
    }

    /// Whether what was noted may soon come true.
    fn may_come_late(&self) -> bool {
        lock(&self.noted_at).is_some_and(|at| at.elapsed() < MAY_COME_LATE)
    }
}

/// Each value is whole at any time, so a panic elsewhere does not spoil it.
fn lock<T>(value: &Mutex<T>) -> MutexGuard<'_, T> {
    value.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A look into a suspicion. If it stood, it does so again if the look ends without an answer: also where
/// the task is dropped that takes the look.
#[derive(Debug)]
pub(crate) struct Inquiry<'a> {
    suspicion: &'a Suspicion,
    stands: bool,
}

impl Inquiry<'_> {
    /// Ends it with an answer. What has been noted meanwhile stands.
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
