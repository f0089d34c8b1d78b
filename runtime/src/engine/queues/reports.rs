//! The two batched store methods of attempts: heartbeats and ends.

use std::sync::Arc;
use std::time::Duration;

use crate::engine::backoff::CLIENT_PATIENCE;
use crate::engine::batch::{Batcher, Transition};
use crate::error::StoreError;
use crate::failpoints;
use crate::store::{ActivityHeartbeat, FinishActivity, FinishOutcome, HeartbeatOutcome, Store};

/// Sends reports of workers, and of programs that have tokens. Cheap to clone.
#[derive(Clone, Debug)]
pub(crate) struct Reports {
    pub(crate) heartbeats: Batcher<Heartbeats>,
    pub(crate) ends: Batcher<Ends>,
}

impl Reports {
    pub(crate) fn to(store: &Arc<dyn Store>) -> Self {
        Self {
            heartbeats: Batcher::spawn(Heartbeats(Arc::clone(store)), 1),
            ends: Batcher::spawn(Ends(Arc::clone(store)), 1),
        }
    }
}

/// Batched heartbeats.
pub(crate) struct Heartbeats(Arc<dyn Store>);

impl Transition for Heartbeats {
    type Item = ActivityHeartbeat;
    type Outcome = HeartbeatOutcome;
    const OPERATION: &'static str = "heartbeat_activities";

    async fn apply(
        &self,
        heartbeats: &[ActivityHeartbeat],
    ) -> Result<Vec<HeartbeatOutcome>, StoreError> {
        self.0.heartbeat_activities(heartbeats.to_vec()).await
    }

    fn is_repeatable(&self, _: &ActivityHeartbeat) -> bool {
        true
    }

    fn patience(&self) -> Option<Duration> {
        Some(CLIENT_PATIENCE)
    }
}

/// Batched ends of attempts.
pub(crate) struct Ends(Arc<dyn Store>);

impl Transition for Ends {
    type Item = FinishActivity;
    type Outcome = FinishOutcome;
    const OPERATION: &'static str = "finish_activities";

    async fn apply(&self, ends: &[FinishActivity]) -> Result<Vec<FinishOutcome>, StoreError> {
        failpoints::hit("before_finish");
        let finished = self.0.finish_activities(ends.to_vec()).await;
        failpoints::hit("after_finish");
        finished
    }

    /// An attempt ends once, and a repeated use of a token is detected.
    fn is_repeatable(&self, _: &FinishActivity) -> bool {
        true
    }

    fn patience(&self) -> Option<Duration> {
        Some(CLIENT_PATIENCE)
    }
}
