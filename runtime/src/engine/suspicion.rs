//! The suspicion that a worker has been given what it does not know of, because an answer was lost.
//!
//! A request that was on its way when its connection broke may be carried out after a look that has found
//! nothing. So what has been noted is looked into for a while, at every sweep.
//!
//! A look leaves out what is held. But what is about to be let go of may have been given once more,
//! and nobody would look again: so whoever lets go of something compares how often the suspicion was
//! noted before he said so and after.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

/// How long what was sent on a connection that is gone may take to be carried out: longer than servers
/// and what lies before them keep a message, and than the server may take to answer.
const MAY_COME_LATE: Duration = Duration::from_secs(120);

/// See the [module documentation](self).
#[derive(Debug, Default)]
pub(crate) struct Suspicion {
    stands: AtomicBool,
    /// How often it was noted. Set before `stands` is.
    notes: AtomicU64,
    /// When it was noted last.
    noted_at: Mutex<Option<Instant>>,
}

impl Suspicion {
    /// Notes that something may have been given.
    pub(crate) fn note(&self) {
        self.notes.fetch_add(1, Ordering::Relaxed);
        *self.noted_at.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
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

    /// How often it was noted. Whoever is about to ask for something to be taken from him keeps that
    /// for [`Suspicion::let_go`].
    pub(crate) fn notes(&self) -> u64 {
        self.notes.load(Ordering::Relaxed)
    }

    /// Asks for a look, if it was noted since that was kept, at what has been let go of. Not before it
    /// has: a look leaves out what is held.
    pub(crate) fn let_go(&self, notes_before: Option<u64>) {
        if notes_before.is_some_and(|notes| notes != self.notes()) {
            self.stand();
        }
    }

    /// Begins to look into it, if there is something to look into.
    pub(crate) fn look_into(&self) -> Option<Inquiry<'_>> {
        let stands = self.stands.swap(false, Ordering::AcqRel);
        (stands || self.may_come_late()).then(|| Inquiry { suspicion: self, stands })
    }

    /// Whether what was noted may still come true.
    fn may_come_late(&self) -> bool {
        let noted_at = *self.noted_at.lock().unwrap_or_else(PoisonError::into_inner);
        noted_at.is_some_and(|at| at.elapsed() < MAY_COME_LATE)
    }
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
        assert!(suspicion.look_into().is_none());
        suspicion.stand();
        suspicion.look_into().expect("it stands").answered();
        assert!(suspicion.look_into().is_none());
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
