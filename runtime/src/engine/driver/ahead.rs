//! Running ahead of the checkpoint, in workflows with `durability = "relaxed"`.
//!
//! A driver passes the state after a step to the group committer and continues before the answer arrives. Each run
//! has at most one commit in progress; of the states made meanwhile, only the newest is committed next. So a slow
//! database writes fewer states, and a run that waits is soon durable. If more steps than `max_steps_ahead` are not
//! durable, the run waits.
//!
//! After a crash a run continues from its checkpoint. Whatever depends on a later state therefore waits until that
//! state is durable: arrivals that the run puts into its own inbox, activities that are executed once, and
//! everything visible to others.

use std::borrow::Cow;
use std::pin::Pin;

use futures_util::FutureExt;
use tracing::debug;

use super::steps::Effects;
use super::{Driver, Ended};
use crate::engine::batch::BatchError;
use crate::machine::Durability;
use crate::model::BlockedReason;
use crate::store::{CommitOutcome, Disposition};

/// The steps of a run that are not durable yet.
#[derive(Default)]
pub(super) struct Ahead {
    /// The newest state, if it is not being committed.
    newest: Option<Newest>,
    /// The commit in progress.
    under_way: Option<UnderWay>,
    /// Whether the next state must be durable before the run continues.
    pub(super) is_held: bool,
}

/// A state to commit.
pub(super) struct Newest {
    snapshot: Vec<u8>,
    state: Cow<'static, str>,
    /// The effects since the previous commit.
    effects: Effects,
    /// The number of steps since then.
    steps: u64,
}

struct UnderWay {
    /// The number of steps that it makes durable.
    steps: u64,
    answer: Pin<Box<dyn Future<Output = Result<CommitOutcome, BatchError>> + Send>>,
}

impl Ahead {
    /// The number of steps that are not durable.
    fn count(&self) -> u64 {
        let newest = self.newest.as_ref().map_or(0, |newest| newest.steps);
        newest + self.under_way.as_ref().map_or(0, |under_way| under_way.steps)
    }

    /// Waits for the result of the commit in progress; never returns if there is none. Cancellation safe.
    pub(super) async fn answer(&mut self) -> Result<CommitOutcome, BatchError> {
        let Some(under_way) = &mut self.under_way else { return std::future::pending().await };
        let answer = (&mut under_way.answer).await;
        self.under_way = None;
        answer
    }
}

impl Driver {
    /// Whether the machine's state may be committed later. It may not if it counts attempts that must not be
    /// repeated after a crash, or if an activity runs at most once or exactly once: then the state that requests it
    /// and the state that contains its outcome must be durable at once.
    pub(super) fn may_run_ahead(&self) -> bool {
        let Durability::Relaxed { .. } = self.machine.entry().options.durability else {
            return false;
        };
        let is_over = self.machine.ending().is_some();
        let mut may = !is_over && !self.changed && !self.ahead.is_held && !self.is_draining();
        self.machine.for_each_activity(|_, activity| {
            let entry = self.hold.session.host.registry.activity(&activity.name);
            let is_transaction = entry.is_some_and(|entry| entry.connection.is_some());
            may &= !activity.at_most_once && !is_transaction;
        });
        may
    }

    /// Queues the machine's state, `steps` after the last one, for a commit. Returns when the run may continue.
    pub(super) async fn run_ahead(&mut self, steps: u64, effects: Effects) -> Result<(), Ended> {
        let snapshot = match self.machine.encode_snapshot() {
            Ok(snapshot) => snapshot,
            Err(error) => return self.block(BlockedReason::Invalid(error.to_string())).await,
        };
        let state = self.machine.state_name();
        let (effects, steps) = match self.ahead.newest.take() {
            Some(newest) => (newest.effects.followed_by(effects), newest.steps + steps),
            None => (effects, steps),
        };
        self.ahead.newest = Some(Newest { snapshot, state, effects, steps });
        if let Some(answer) = self.ahead.answer().now_or_never() {
            self.answered(answer).await?;
        }
        self.hand_in();
        let Durability::Relaxed { max_steps } = self.machine.entry().options.durability else {
            return self.catch_up().await;
        };
        while self.ahead.count() > u64::from(max_steps) {
            let answer = self.ahead.answer().await;
            self.answered(answer).await?;
        }
        Ok(())
    }

    /// Waits until all steps are durable.
    pub(super) async fn catch_up(&mut self) -> Result<(), Ended> {
        while self.ahead.count() > 0 {
            let answer = self.ahead.answer().await;
            self.answered(answer).await?;
        }
        Ok(())
    }

    /// Waits for the commit in progress, and withdraws the next one: a newer state replaces it and takes over its
    /// effects.
    pub(super) async fn supersede(&mut self) -> Result<Effects, Ended> {
        let newest = self.ahead.newest.take();
        if self.ahead.under_way.is_some() {
            let answer = self.ahead.answer().await;
            self.answered(answer).await?;
        }
        Ok(newest.map(|newest| newest.effects).unwrap_or_default())
    }

    /// Handles the result of the commit in progress, and starts the next one.
    pub(super) async fn answered(
        &mut self,
        answer: Result<CommitOutcome, BatchError>,
    ) -> Result<(), Ended> {
        self.committed(answer).await?;
        self.hand_in();
        Ok(())
    }

    fn hand_in(&mut self) {
        if self.ahead.under_way.is_some() {
            return;
        }
        let Some(Newest { snapshot, state, effects, steps }) = self.ahead.newest.take() else {
            return;
        };
        debug!(%state, steps, "handed in");
        let step = self.next_commit(Disposition::Keep { snapshot, state }, effects);
        let commits = self.hold.session.commits.clone();
        let answer = Box::pin(async move { commits.submit(step).await });
        self.ahead.under_way = Some(UnderWay { steps, answer });
    }
}
