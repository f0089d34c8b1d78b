//! The phase of a session, and notification of its changes.

use std::sync::{Mutex, PoisonError};

use tokio::sync::Notify;

/// The phases of a session, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    /// It claims runs and drives them.
    Serving,
    /// It starts nothing new; its drivers end.
    Draining,
    /// It owns nothing.
    Lost,
}

/// The phase of a session. Unlike a `watch` channel of tokio, which wakes waiters in random order, it wakes them in
/// the order in which they came, so that simulations are reproducible.
#[derive(Debug)]
pub(crate) struct Phases {
    now: Mutex<Phase>,
    changed: Notify,
}

impl Phases {
    /// The phase of a new session.
    pub(crate) fn new() -> Self {
        Self { now: Mutex::new(Phase::Serving), changed: Notify::new() }
    }

    /// The present phase.
    pub(crate) fn now(&self) -> Phase {
        *self.now.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes the phase from `from` to `to`; does nothing in any other phase.
    pub(crate) fn pass(&self, from: Phase, to: Phase) {
        let mut now = self.now.lock().unwrap_or_else(PoisonError::into_inner);
        if *now == from {
            *now = to;
            drop(now);
            self.changed.notify_waiters();
        }
    }

    /// Changes the phase to the last one.
    pub(crate) fn lose(&self) {
        self.pass(Phase::Serving, Phase::Lost);
        self.pass(Phase::Draining, Phase::Lost);
    }

    /// Waits until the phase is not `seen`. Cancellation safe.
    pub(crate) async fn after(&self, seen: Phase) -> Phase {
        loop {
            // Registers the waiter before the check, so no change is missed.
            let changed = self.changed.notified();
            let now = self.now();
            if now != seen {
                return now;
            }
            changed.await;
        }
    }

    /// Waits for the last phase. Cancellation safe.
    pub(crate) async fn lost(&self) {
        let mut seen = self.now();
        while seen != Phase::Lost {
            seen = self.after(seen).await;
        }
    }
}
