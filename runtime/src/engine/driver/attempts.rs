//! The attempts of activities that one run has under way, each in a task of its own.

use std::any::Any;
use std::collections::BTreeMap;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use tokio::sync::mpsc;
use tokio::task::{AbortHandle, JoinError, JoinSet, spawn_blocking};
use tokio::time::{Instant, sleep, timeout, timeout_at};
use tracing::Instrument;

use crate::activities::{ActivityContext, ActivityEntry, ActivityReport};
use crate::codec::CodecError;
use crate::engine::link::Link;
use crate::engine::retry::{self, AttemptResult};
use crate::engine::session::Session;
use crate::engine::slots::Places;
use crate::failpoints;
use crate::machine::TimeoutKind;
use crate::model::{Handle, Payload};
use crate::process;

/// One attempt to be made.
pub(crate) struct Attempt {
    /// The function.
    pub(crate) entry: &'static ActivityEntry,
    /// What it sees of its surroundings; tells the call and the attempt's number.
    pub(crate) context: ActivityContext,
    /// Its arguments.
    pub(crate) arguments: Payload,
    /// Its places, if it has them already.
    pub(crate) places: Option<Places>,
    /// By when it must have got its turn.
    pub(crate) start_by: Option<Instant>,
    /// How long it may take.
    pub(crate) start_to_close: Option<Duration>,
    /// How long it may be silent.
    pub(crate) heartbeat: Option<Duration>,
    /// When it must have ended, the wait for a slot included.
    pub(crate) deadline: Option<Instant>,
    /// What ties it to the engine.
    pub(crate) link: Arc<Link>,
    /// Whose attempt it is.
    pub(crate) session: Arc<Session>,
}

/// An attempt that has ended.
pub(crate) struct AttemptEnd {
    /// The call.
    pub(crate) handle: Handle,
    /// The attempt's number.
    pub(crate) attempt: u32,
    /// How it ended.
    pub(crate) result: AttemptResult,
    /// What it, or one before it, has said last.
    pub(crate) details: Option<Payload>,
}

/// What an attempt under way says of itself.
pub(super) struct Beat {
    /// The call.
    pub(super) handle: Handle,
    /// The attempt's number.
    pub(super) attempt: u32,
    /// What a further attempt is to know.
    pub(super) details: Payload,
}

/// What comes from attempts.
pub(super) enum News {
    /// One has ended.
    End(AttemptEnd),
    /// One lives, and says how far it has come.
    Beat(Beat),
}

/// Attempts under way. Dropping it aborts them.
pub(super) struct Attempts {
    tasks: JoinSet<AttemptEnd>,
    /// The attempt of each call.
    running: BTreeMap<Handle, Running>,
    /// What they say of themselves, not more often than it is to be written.
    beats: (mpsc::UnboundedSender<Beat>, mpsc::UnboundedReceiver<Beat>),
}

impl Default for Attempts {
    fn default() -> Self {
        Self { tasks: JoinSet::new(), running: BTreeMap::new(), beats: mpsc::unbounded_channel() }
    }
}

struct Running {
    number: u32,
    task: AbortHandle,
    link: Arc<Link>,
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

    /// Begins an attempt, in a task of its own unless it is over before it has waited for anything.
    /// Returns its end in that case.
    ///
    /// Others are begun at the same time if it is not `alone`: their functions may take a while to
    /// come to their first wait, which is then not to hold up the others.
    pub(super) fn start(&mut self, attempt: Attempt, alone: bool) -> Option<AttemptEnd> {
        let info = attempt.context.info();
        let (handle, number) = (info.handle, info.attempt);
        let link = Arc::clone(&attempt.link);
        let beats = self.beats.0.clone();
        let throttle = retry::throttle(attempt.heartbeat);
        let of_attempt = Arc::clone(&link);
        let made = async move {
            let says = |details| {
                // A driver that has ended writes nothing any more.
                let _ = beats.send(Beat { handle, attempt: number, details });
            };
            tokio::select! {
                biased;
                end = attempt.make() => end,
                never = pass_on(&of_attempt, throttle, says) => match never {},
            }
        };
        let mut made = Box::pin(process::bind(made));
        if alone && let Some(end) = made.as_mut().now_or_never() {
            return Some(end);
        }
        // The task polls it again, so nothing that has come since is missed.
        let task = self.tasks.spawn(made);
        self.running.insert(handle, Running { number, task, link });
        None
    }

    /// Tells an attempt what somebody else has said of it.
    pub(super) fn hear(&self, handle: Handle, attempt: u32, details: Payload) {
        let running = self.running.get(&handle).filter(|running| running.number == attempt);
        running.into_iter().for_each(|running| running.link.hear(details.clone()));
    }

    /// Aborts all attempts. Returns the calls, each with the number of its attempt.
    pub(super) fn abort_all(&mut self) -> Vec<(Handle, u32)> {
        self.tasks.abort_all();
        let running = std::mem::take(&mut self.running);
        running.into_iter().map(|(handle, running)| (handle, running.number)).collect()
    }

    /// Cancels the attempts that are not to be kept, by their call and number.
    pub(super) fn retain(&mut self, keep: impl Fn(Handle, u32) -> bool) {
        self.running.retain(|handle, running| {
            let keep = keep(*handle, running.number);
            if !keep {
                running.link.cancel(&running.task);
            }
            keep
        });
    }

    /// Calls off the attempts that have not begun. Returns whether there were any.
    pub(super) fn call_off(&mut self) -> bool {
        let before = self.running.len();
        self.running.retain(|_, running| {
            let is_off = running.link.call_off();
            if is_off {
                running.task.abort();
            }
            !is_off
        });
        self.running.len() < before
    }

    /// Cancels all attempts, and lets those that want to end in their own way do so.
    pub(super) fn let_go(&mut self) {
        self.retain(|_, _| false);
        self.tasks.detach_all();
    }

    /// Waits for news of an attempt; never returns if none is under way. Cancellation safe.
    pub(super) async fn next(&mut self) -> News {
        loop {
            let ended = tokio::select! {
                biased;
                Some(ended) = self.tasks.join_next() => ended,
                Some(beat) = self.beats.1.recv() => return News::Beat(beat),
                else => return std::future::pending().await,
            };
            match ended {
                Ok(end) if self.running.remove(&end.handle).is_some() => return News::End(end),
                // One that was aborted, perhaps too late to keep it from ending.
                _ => {}
            }
        }
    }

    /// What an attempt has said of itself, if anything has been said.
    pub(super) fn try_beat(&mut self) -> Option<Beat> {
        self.beats.1.try_recv().ok()
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

/// Passes on what heartbeats say: the newest, `throttle` after there is something to be said.
async fn pass_on(
    link: &Link,
    throttle: Duration,
    says: impl Fn(Payload),
) -> std::convert::Infallible {
    loop {
        link.has_beat().await;
        sleep(throttle).await;
        link.next_beat().await.into_iter().for_each(&says);
    }
}

impl Attempt {
    /// Waits for its turn and makes the attempt.
    pub(crate) async fn make(self) -> AttemptEnd {
        let info = self.context.info();
        let (handle, attempt) = (info.handle, info.attempt);
        let span = tracing::info_span!(
            "activity", name = info.name, handle = handle.0, attempt, run_id = %info.run_id
        );
        let link = Arc::clone(&self.link);
        let result = match (self.entry.connection, self.deadline) {
            // It sees to its deadline itself: a commit must not be cut off.
            (Some(kind), _) => self.run_in_transaction(kind).instrument(span).await,
            (None, None) => self.run().instrument(span).await,
            (None, Some(deadline)) => timeout_at(deadline, self.run().instrument(span))
                .await
                .unwrap_or(AttemptResult::TimedOut(TimeoutKind::ScheduleToClose)),
        };
        AttemptEnd { handle, attempt, result, details: link.details_so_far() }
    }

    async fn run(mut self) -> AttemptResult {
        let taken = self.places.take();
        let places = async {
            match taken {
                Some(places) => places,
                None => self.session.host.slots.take(self.entry).await,
            }
        };
        let places = match self.start_by {
            None => places.await,
            Some(start_by) => match timeout_at(start_by, places).await {
                Ok(places) => places,
                Err(_) => return AttemptResult::TimedOut(TimeoutKind::ScheduleToStart),
            },
        };
        failpoints::hit("before_activity");
        if !self.begins() {
            return AttemptResult::Lost;
        }
        let (start_to_close, link) = (self.start_to_close, Arc::clone(&self.link));
        let (heartbeat, began) = (self.heartbeat, Instant::now());
        let has_token = link.has_token();
        let call = self.call(places);
        let call = async {
            if heartbeat.is_none() && !has_token {
                return Ok(call.await);
            }
            tokio::select! {
                biased;
                ended = call => Ok(ended),
                () = link.goes_on_without(), if has_token => {
                    let left = start_to_close.map(|limit| limit.saturating_sub(began.elapsed()));
                    Err(AttemptResult::Later { left })
                }
                () = link.silence(heartbeat, began) => Err(AttemptResult::TimedOut(TimeoutKind::Heartbeat)),
            }
        };
        let ended = match start_to_close {
            None => call.await,
            Some(limit) => timeout(limit, call)
                .await
                .unwrap_or(Err(AttemptResult::TimedOut(TimeoutKind::StartToClose))),
        };
        let ended = match ended {
            Ok(ended) => ended,
            Err(result) => return result,
        };
        failpoints::hit("after_activity");
        match ended {
            Ok(report) => AttemptResult::Reported(report),
            Err(panic) => AttemptResult::Panicked(panic_message(&*panic)),
        }
    }

    /// Whether the function is to begin, now that everything it waits for is there.
    pub(super) fn begins(&self) -> bool {
        self.session.may_begin() && self.link.begin()
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
