//! The attempts of activities that one run has under way, each in a task of its own.

use std::any::Any;
use std::collections::BTreeMap;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use tokio::task::{AbortHandle, JoinError, JoinSet, spawn_blocking};
use tokio::time::{Instant, timeout, timeout_at};
use tracing::Instrument;

use crate::activities::{ActivityContext, ActivityEntry, ActivityReport};
use crate::codec::CodecError;
use crate::engine::retry::AttemptResult;
use crate::engine::session::Session;
use crate::engine::slots::Places;
use crate::failpoints;
use crate::machine::TimeoutKind;
use crate::model::{Handle, Payload};
use crate::process;

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
    /// Whose run it is.
    pub(super) session: Arc<Session>,
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
    /// The attempt of each call.
    running: BTreeMap<Handle, (u32, AbortHandle)>,
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
        let info = attempt.context.info();
        let (handle, number) = (info.handle, info.attempt);
        let task = self.tasks.spawn(process::bind(attempt.make()));
        self.running.insert(handle, (number, task));
    }

    /// Aborts all attempts. Returns the calls, each with the number of its attempt.
    pub(super) fn abort_all(&mut self) -> Vec<(Handle, u32)> {
        self.tasks.abort_all();
        let running = std::mem::take(&mut self.running);
        running.into_iter().map(|(handle, (attempt, _))| (handle, attempt)).collect()
    }

    /// Aborts the attempts of calls that are not to be kept.
    pub(super) fn retain(&mut self, keep: impl Fn(Handle) -> bool) {
        self.running.retain(|handle, (_, task)| {
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
        let result = match (self.entry.connection, self.deadline) {
            // It sees to its deadline itself: a commit must not be cut off.
            (Some(kind), _) => self.run_in_transaction(kind).instrument(span).await,
            (None, None) => self.run().instrument(span).await,
            (None, Some(deadline)) => timeout_at(deadline, self.run().instrument(span))
                .await
                .unwrap_or(AttemptResult::TimedOut(TimeoutKind::ScheduleToClose)),
        };
        AttemptEnd { handle, attempt, result }
    }

    async fn run(self) -> AttemptResult {
        let places = self.session.host.slots.take(self.entry).await;
        failpoints::hit("before_activity");
        let start_to_close = self.start_to_close;
        let call = self.call(places);
        let ended = match start_to_close {
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

    /// Calls the function. A panic ends the attempt and nothing else: the function's own state is
    /// gone with it, and what it shares with others is its author's to keep whole.
    async fn call(self, places: Places) -> Called {
        let Self { entry, context, arguments, .. } = self;
        if !entry.options.blocking {
            let call = async move { (entry.run)(context, arguments).await };
            let ended = AssertUnwindSafe(call).catch_unwind().await;
            drop(places);
            return ended;
        }
        let span = tracing::Span::current();
        // The thread keeps the places until it is done, also if nobody waits for it any more.
        let thread = spawn_blocking(move || {
            let ended = span.in_scope(|| {
                (entry.run)(context, arguments)
                    .now_or_never()
                    .expect("the future of a blocking activity awaits nothing")
            });
            drop(places);
            ended
        });
        // Nobody aborts the thread, so what it can end with is a panic.
        thread.await.map_err(JoinError::into_panic)
    }
}

/// What the function returned, or the panic that ended it.
type Called = Result<Result<ActivityReport, CodecError>, Box<dyn Any + Send>>;

/// The text that a panic was raised with.
pub(super) fn panic_message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "a panic without a message".to_owned())
}
