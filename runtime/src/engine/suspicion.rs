//! The suspicion that a worker has been given what it does not know of, because an answer was lost.

use std::sync::atomic::{AtomicBool, Ordering};

/// See the [module documentation](self).
#[derive(Debug, Default)]
pub(crate) struct Suspicion(AtomicBool);

impl Suspicion {
    /// Notes that something may have been given.
    pub(crate) fn note(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether that is so.
    pub(crate) fn is_noted(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// Begins to look into it, if there is something to look into.
    pub(crate) fn look_into(&self) -> Option<Inquiry<'_>> {
        self.0.swap(false, Ordering::Relaxed).then(|| Inquiry(self))
    }
}

/// A look into a suspicion, which stands again if the look ends without an answer: also where the
/// task is dropped that takes the look.
#[derive(Debug)]
pub(crate) struct Inquiry<'a>(&'a Suspicion);

impl Inquiry<'_> {
    /// Ends it with an answer. What has been noted meanwhile stands.
    pub(crate) fn answered(self) {
        std::mem::forget(self);
    }
}

impl Drop for Inquiry<'_> {
    fn drop(&mut self) {
        self.0.note();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_look_that_is_broken_off_leaves_the_suspicion() {
        let suspicion = Suspicion::default();
        assert!(suspicion.look_into().is_none());
        assert!(!suspicion.is_noted());
        suspicion.note();
        drop(suspicion.look_into());
        assert!(suspicion.is_noted());
        suspicion.look_into().expect("it is noted").answered();
        assert!(!suspicion.is_noted());
    }

    #[test]
    fn what_is_noted_during_a_look_stands() {
        let suspicion = Suspicion::default();
        suspicion.note();
        let inquiry = suspicion.look_into().expect("it is noted");
        suspicion.note();
        inquiry.answered();
        assert!(suspicion.is_noted());
    }
}
