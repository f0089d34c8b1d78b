//! The phase of a session, and notification of its changes.

use std::sync::{Mutex, PoisonError};

use tokio::sync::Notify;

/// How far a session has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    /// It takes runs and drives them.
    Serving,
    /// It starts nothing new; its drivers end.
    Draining,
    /// It owns nothing any more.
    Lost,
}

/// The phase of a session. Unlike those of a `watch` channel of tokio, who draws lots, its waiters
/// are woken in the order in which they have come, so a simulation can repeat what follows.
#[derive(Debug)]
pub(crate) struct Phases {
    now: Mutex<Phase>,
    changed: Notify,
}

impl Phases {
    /// Those of a session that serves.
    pub(crate) fn new() -> Self {
        Self { now: Mutex::new(Phase::Serving), changed: Notify::new() }
    }

    /// The phase it is in.
    pub(crate) fn now(&self) -> Phase {
        *self.now.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Goes from `from` to `to`; does nothing in any other phase.
    pub(crate) fn pass(&self, from: Phase, to: Phase) {
        let mut now = self.now.lock().unwrap_or_else(PoisonError::into_inner);
        if *now == from {
            *now = to;
            drop(now);
            self.changed.notify_waiters();
        }
    }

    /// Goes to the last phase.
    pub(crate) fn lose(&self) {
        self.pass(Phase::Serving, Phase::Lost);
        self.pass(Phase::Draining, Phase::Lost);
    }

    /// Waits until the phase is another than `seen`. Cancellation safe.
    pub(crate) async fn after(&self, seen: Phase) -> Phase {
        loop {
            // Told from here on, so no change comes between the look and the wait.
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
