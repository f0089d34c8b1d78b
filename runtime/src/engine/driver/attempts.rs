//! The attempts of activities that one run has under way, each in a task of its own.

use std::any::Any;
use std::collections::HashMap;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use tokio::sync::Semaphore;
use tokio::task::{AbortHandle, JoinSet};
use tokio::time::{Instant, timeout, timeout_at};
use tracing::Instrument;

use crate::activities::{ActivityContext, ActivityEntry};
use crate::engine::retry::AttemptResult;
use crate::failpoints;
use crate::machine::TimeoutKind;
use crate::model::{Handle, Payload};

/// One attempt to be made.
pub(super) struct Attempt {
    /// The function.
    pub(super) entry: &'static ActivityEntry,
    /// What it sees of its surroundings; tells the call and the attempt's number.
    pub(super) context: ActivityContext,
    /// Its arguments.
    pub(super) arguments: Payload,
    /// How long it may take.
    pub(super) start_to_close: Option<Duration>,
    /// When it must have ended, the wait for a slot included.
    pub(super) deadline: Option<Instant>,
    /// One permit lets it run.
    pub(super) slots: Arc<Semaphore>,
}

/// An attempt that has ended.
pub(super) struct AttemptEnd {
    /// The call.
    pub(super) handle: Handle,
    /// The attempt's number.
    pub(super) attempt: u32,
    /// How it ended.
    pub(super) result: AttemptResult,
}

/// Attempts under way. Dropping it aborts them.
#[derive(Default)]
pub(super) struct Attempts {
    tasks: JoinSet<AttemptEnd>,
    running: HashMap<Handle, AbortHandle>,
}

impl Attempts {
    pub(super) fn is_empty(&self) -> bool {
        self.running.is_empty()
    }

    pub(super) fn is_running(&self, handle: Handle) -> bool {
        self.running.contains_key(&handle)
    }

    /// The calls under way.
    pub(super) fn handles(&self) -> impl Iterator<Item = Handle> {
        self.running.keys().copied()
    }

    pub(super) fn start(&mut self, attempt: Attempt) {
        let handle = attempt.context.info().handle;
        let task = self.tasks.spawn(attempt.make());
        self.running.insert(handle, task);
    }

    /// Aborts the attempts of calls that are not to be kept.
    pub(super) fn retain(&mut self, keep: impl Fn(Handle) -> bool) {
        self.running.retain(|handle, task| {
            let keep = keep(*handle);
            if !keep {
                task.abort();
            }
            keep
        });
    }

    /// Waits for the next attempt to end; never returns if none is under way. Cancellation safe.
    pub(super) async fn next(&mut self) -> AttemptEnd {
        loop {
            match self.tasks.join_next().await {
                Some(Ok(end)) if self.running.remove(&end.handle).is_some() => return end,
                // One that was aborted, perhaps too late to keep it from ending.
                Some(_) => {}
                None => std::future::pending().await,
            }
        }
    }

    /// An attempt that has ended, if there is one.
    pub(super) fn try_next(&mut self) -> Option<AttemptEnd> {
        while let Some(ended) = self.tasks.try_join_next() {
            if let Ok(end) = ended
                && self.running.remove(&end.handle).is_some()
            {
                return Some(end);
            }
        }
        None
    }
}

impl Attempt {
    async fn make(self) -> AttemptEnd {
        let info = self.context.info();
        let (handle, attempt) = (info.handle, info.attempt);
        let span = tracing::info_span!(
            "activity", name = info.name, handle = handle.0, attempt, run_id = %info.run_id
        );
        let deadline = self.deadline;
        let result = match deadline {
            None => self.run().instrument(span).await,
            Some(deadline) => timeout_at(deadline, self.run().instrument(span))
                .await
                .unwrap_or(AttemptResult::TimedOut(TimeoutKind::ScheduleToClose)),
        };
        AttemptEnd { handle, attempt, result }
    }

    async fn run(self) -> AttemptResult {
        // The semaphore is never closed; were it, attempts would run without a limit.
        let _slot = self.slots.acquire_owned().await.ok();
        failpoints::hit("before_activity");
        // A panic ends the attempt and nothing else: the function's own state is gone with it, and
        // what it shares with others is its author's to keep whole.
        let call = async move { (self.entry.run)(self.context, self.arguments).await };
        let call = AssertUnwindSafe(call).catch_unwind();
        let ended = match self.start_to_close {
            None => call.await,
            Some(limit) => match timeout(limit, call).await {
                Ok(ended) => ended,
                Err(_) => return AttemptResult::TimedOut(TimeoutKind::StartToClose),
            },
        };
        failpoints::hit("after_activity");
        match ended {
            Ok(report) => AttemptResult::Reported(report),
            Err(panic) => AttemptResult::Panicked(panic_message(&*panic)),
        }
    }
}

/// The text that a panic was raised with.
pub(super) fn panic_message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "a panic without a message".to_owned())
}
