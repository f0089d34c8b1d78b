//! The link between a running activity and its engine.

use std::sync::Arc;

use super::BoxFuture;
use crate::model::{ActivityToken, Payload};

/// The engine's side of an attempt.
pub trait AttemptLink: Send + Sync {
    /// Records a heartbeat.
    fn heartbeat(&self, details: Payload);

    /// The details of the last heartbeat of an earlier attempt.
    fn last_heartbeat(&self) -> Option<Payload>;

    /// Whether the attempt is cancelled. After the first call, the function is expected to end by itself.
    fn is_cancelled(&self) -> bool;

    /// Waits until the attempt is cancelled.
    fn cancelled(self: Arc<Self>) -> BoxFuture<()>;

    /// The attempt's token, if it has one.
    fn token(&self) -> Option<ActivityToken>;

    /// Declares that the attempt continues without the function, which is dropped.
    fn complete_later(&self);
}
