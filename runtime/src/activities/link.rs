//! The link between a running activity and the engine that makes the attempt.

use std::sync::Arc;

use super::BoxFuture;
use crate::model::{ActivityToken, Payload};

/// The engine's side of an attempt.
pub trait AttemptLink: Send + Sync {
    /// Takes a sign of life.
    fn heartbeat(&self, details: Payload);

    /// What the last heartbeat of an attempt before this one said.
    fn last_heartbeat(&self) -> Option<Payload>;

    /// Whether the attempt is no longer wanted. From the first question on the function is expected
    /// to end by itself.
    fn is_cancelled(&self) -> bool;

    /// Waits until the attempt is no longer wanted.
    fn cancelled(self: Arc<Self>) -> BoxFuture<()>;

    /// The attempt's token, if it has one.
    fn token(&self) -> Option<ActivityToken>;

    /// Reports that the attempt continues without the function, which is dropped.
    fn complete_later(&self);
}
