//! The runs of this worker that have messages in the outbox.

use std::collections::BTreeSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

use crate::model::RunId;
use crate::store::{CommitStep, Effect};

/// The runs that have committed messages since the last [`take`](Outgoing::take).
#[derive(Debug, Default)]
pub(crate) struct Outgoing {
    /// Ordered, so that simulations are reproducible.
    senders: Mutex<BTreeSet<RunId>>,
    /// Notified when a run is added.
    news: Notify,
}

impl Outgoing {
    /// Notes the senders among steps that may have been committed.
    pub(crate) fn note(&self, steps: &[&CommitStep]) {
        let sends = |effect: &Effect| matches!(effect, Effect::Send(_));
        let mut sending = steps.iter().filter(|step| step.effects.iter().any(sends)).peekable();
        if sending.peek().is_some() {
            self.lock().extend(sending.map(|step| step.run_id));
            self.news.notify_one();
        }
    }

    /// Returns the noted runs and forgets them.
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
