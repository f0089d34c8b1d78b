//! One attempt of an activity, from the wait for a free slot to its end.

use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use tokio::task::spawn_blocking;
use tokio::time::{Instant, timeout_at};
use tracing::{Instrument, Span, info_span};

use crate::activities::{ActivityContext, ActivityEntry, ActivityReport, BoxFuture};
use crate::codec::CodecError;
use crate::engine::link::Link;
use crate::engine::panics::{self, catch, caught};
use crate::engine::retry::{AttemptResult, Panic};
use crate::engine::session::Session;
use crate::engine::slots::Places;
use crate::failpoints;
use crate::machine::TimeoutKind;
use crate::model::{Handle, Payload};

/// An attempt to make.
pub(crate) struct Attempt {
    /// The function.
    pub(crate) entry: &'static ActivityEntry,
    /// The context that the function sees; identifies the call and the attempt.
    pub(crate) context: ActivityContext,
    /// Its arguments.
    pub(crate) arguments: Payload,
    /// Its slots, if it has them already.
    pub(crate) places: Option<Places>,
    /// When it must have begun.
    pub(crate) start_by: Option<Instant>,
    /// How long it may take.
    pub(crate) start_to_close: Option<Duration>,
    /// How long it may go without a heartbeat.
    pub(crate) heartbeat: Option<Duration>,
    /// When it must have ended, including the wait for a slot.
    pub(crate) deadline: Option<Instant>,
    /// The channel between the attempt and the engine.
    pub(crate) link: Arc<Link>,
    /// The session that makes it.
    pub(crate) session: Arc<Session>,
    /// The call of the function, if it has begun.
    pub(crate) begun: Option<Begun>,
}

/// An attempt that has ended.
pub(crate) struct AttemptEnd {
    /// The call.
    pub(crate) handle: Handle,
    /// The attempt's number.
    pub(crate) attempt: u32,
    /// How it ended.
    pub(crate) result: AttemptResult,
    /// The details of its last heartbeat, or of an earlier attempt's.
    pub(crate) details: Option<Payload>,
}

/// A call of a function that has begun.
pub(crate) struct Begun {
    call: BoxFuture<Called>,
    /// When it began.
    at: Instant,
}

/// The future of its result.
type Returned = Result<ActivityReport, CodecError>;

/// The return value of the function, or the panic that ended it.
type Called = Result<Returned, String>;

impl Attempt {
    /// Calls the function and polls it once, if it may begin at once. Most functions are ready then, and the cost
    /// of a task is saved. If it is not ready, [`make`](Self::make) the attempt.
    pub(super) fn try_at_once(&mut self) -> Option<AttemptEnd> {
        if self.entry.connection.is_some() || self.entry.options.blocking {
            return None;
        }
        let mut places = self.session.host.slots.try_take(self.entry)?;
        let Some(at) = self.begin() else { return Some(self.ended_with(AttemptResult::Lost)) };
        places.begin(self.session.lease().worker_id, &self.context);
        let arguments = std::mem::take(&mut self.arguments);
        let mut call = None;
        let polled = self.span().in_scope(|| {
            catch(|| call.insert(self.entry.run(&self.context, &arguments)).now_or_never())
        });
        let called = match (polled, call) {
            (Ok(None), Some(call)) => {
                self.begun = Some(Begun { call: guarded(call, places), at });
                return None;
            }
            (Ok(Some(returned)), _) => Ok(returned),
            (Err(panic), _) => Err(panic),
            (Ok(None), None) => unreachable!("a function that was polled was called"),
        };
        drop(places);
        let result = ended(self.entry, called);
        Some(self.ended_with(result))
    }

    /// Waits for its slots and makes the attempt.
    pub(crate) async fn make(self) -> AttemptEnd {
        let info = self.context.info();
        let (handle, attempt) = (info.handle, info.attempt);
        let (span, link, entry) = (self.span(), Arc::clone(&self.link), self.entry);
        let ended = async {
            match (self.entry.connection, self.deadline) {
                // A transaction checks its own deadline, since a commit must not be interrupted.
                (Some(kind), _) => self.run_in_transaction(kind).instrument(span).await,
                (None, None) => self.run().instrument(span).await,
                (None, Some(deadline)) => timeout_at(deadline, self.run().instrument(span))
                    .await
                    .unwrap_or(AttemptResult::TimedOut(TimeoutKind::ScheduleToClose)),
            }
        };
        // A time limit drops the function's values, and destructors are the user's code, too.
        let result = caught(ended).await.unwrap_or_else(|message| panicked(entry, message));
        AttemptEnd { handle, attempt, result, details: link.details_so_far() }
    }

    async fn run(mut self) -> AttemptResult {
        let begun = match self.begun.take() {
            Some(begun) => begun,
            None => match self.call_in_turn().await {
                Ok(begun) => begun,
                Err(result) => return result,
            },
        };
        let Self { entry, start_to_close, heartbeat, link, .. } = self;
        let Begun { call, at } = begun;
        let has_token = link.has_token();
        let call = async {
            if heartbeat.is_none() && !has_token {
                return Ok(call.await);
            }
            tokio::select! {
                biased;
                called = call => Ok(called),
                () = link.goes_on_without(), if has_token => {
                    let left = start_to_close.map(|limit| limit.saturating_sub(at.elapsed()));
                    Err(AttemptResult::Later { left })
                }
                () = link.silence(heartbeat, at) => Err(AttemptResult::TimedOut(TimeoutKind::Heartbeat)),
            }
        };
        let called = match start_to_close.and_then(|limit| at.checked_add(limit)) {
            None => call.await,
            Some(end_by) => timeout_at(end_by, call)
                .await
                .unwrap_or(Err(AttemptResult::TimedOut(TimeoutKind::StartToClose))),
        };
        called.map_or_else(|result| result, |called| ended(entry, called))
    }

    /// Waits for its slots and calls the function.
    async fn call_in_turn(&mut self) -> Result<Begun, AttemptResult> {
        let taken = self.places.take();
        let places = async {
            match taken {
                Some(places) => places,
                None => self.session.host.slots.take(self.entry).await,
            }
        };
        let mut places = match self.start_by {
            None => places.await,
            Some(start_by) => timeout_at(start_by, places)
                .await
                .map_err(|_| AttemptResult::TimedOut(TimeoutKind::ScheduleToStart))?,
        };
        let at = self.begin_in_turn().await.ok_or(AttemptResult::Lost)?;
        places.begin(self.session.lease().worker_id, &self.context);
        let (entry, context) = (self.entry, self.context.clone());
        let arguments = std::mem::take(&mut self.arguments);
        let call = match entry.options.blocking {
            true => on_a_thread(entry, context, arguments, places),
            false => guarded(async move { entry.run(&context, &arguments).await }, places),
        };
        Ok(Begun { call, at })
    }

    /// The time at which the function begins, now that everything it waited for is ready. Never returns if the
    /// worker shuts down; the attempt's owner then calls it off. Takes `&mut self`, since futures of attempts are
    /// not `Sync`.
    pub(super) async fn begin_in_turn(&mut self) -> Option<Instant> {
        if !self.session.is_serving() {
            return std::future::pending().await;
        }
        self.begin()
    }

    fn begin(&self) -> Option<Instant> {
        failpoints::hit("before_activity");
        let now = Instant::now();
        (self.session.may_begin(now) && self.link.begin()).then_some(now)
    }

    fn span(&self) -> Span {
        let info = self.context.info();
        let (handle, attempt) = (info.handle.0, info.attempt);
        info_span!("activity", name = info.name, handle, attempt, run_id = %info.run_id)
    }

    fn ended_with(&self, result: AttemptResult) -> AttemptEnd {
        let info = self.context.info();
        let details = self.link.details_so_far();
        AttemptEnd { handle: info.handle, attempt: info.attempt, result, details }
    }
}

fn ended(entry: &ActivityEntry, called: Called) -> AttemptResult {
    failpoints::hit("after_activity");
    match called {
        Ok(returned) => AttemptResult::Reported(returned),
        Err(message) => panicked(entry, message),
    }
}

pub(super) fn panicked(entry: &ActivityEntry, message: String) -> AttemptResult {
    AttemptResult::Panicked(Panic { message, is_final: !entry.options.retry_panics })
}

/// Calls the function. A panic ends only the attempt: the function's own state is dropped. State that it shares
/// with others is the author's responsibility.
fn guarded(
    call: impl Future<Output = Returned> + Send + 'static,
    places: Places,
) -> BoxFuture<Called> {
    Box::pin(async move {
        let called = caught(call).await;
        drop(places);
        called
    })
}

/// Calls a function that blocks its thread.
fn on_a_thread(
    entry: &'static ActivityEntry,
    context: ActivityContext,
    arguments: Payload,
    places: Places,
) -> BoxFuture<Called> {
    let span = Span::current();
    // The thread keeps the slots until it is done, even if nobody waits for it.
    let thread = spawn_blocking(move || {
        let returned = span.in_scope(|| {
            entry
                .run(&context, &arguments)
                .now_or_never()
                .expect("the future of a blocking activity awaits nothing")
        });
        drop(places);
        returned
    });
    // The thread is never aborted, so it can only end with a panic.
    Box::pin(async move { thread.await.map_err(|error| panics::text(error.into_panic())) })
}
