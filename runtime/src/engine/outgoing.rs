//! The runs of this worker that have messages in the outbox.

use std::collections::BTreeSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

use crate::model::RunId;
use crate::store::{CommitStep, Effect};

/// The runs that have committed messages since the last [`take`](Outgoing::take).
#[derive(Debug, Default)]
pub(crate) struct Outgoing {
    /// In an order that does not depend on hashes, so that simulations can be repeated.
    senders: Mutex<BTreeSet<RunId>>,
    /// Told when there is one more.
    news: Notify,
}

impl Outgoing {
    /// Takes note of steps that may have been committed.
    pub(crate) fn note(&self, steps: &[&CommitStep]) {
        let sends = |effect: &Effect| matches!(effect, Effect::Send(_));
        let mut sending = steps.iter().filter(|step| step.effects.iter().any(sends)).peekable();
        if sending.peek().is_some() {
            self.lock().extend(sending.map(|step| step.run_id));
            self.news.notify_one();
        }
    }

    /// The runs noted; they are forgotten here.
    pub(crate) fn take(&self) -> Vec<RunId> {
        std::mem::take(&mut *self.lock()).into_iter().collect()
    }

    /// Waits until a run may have been noted. Cancellation safe.
    pub(crate) async fn wait(&self) {
        self.news.notified().await;
    }

    fn lock(&self) -> MutexGuard<'_, BTreeSet<RunId>> {
        self.senders.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
