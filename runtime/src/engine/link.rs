//! The channel between the engine and the function of a running attempt.
//!
//! The function sends heartbeats and may declare that the attempt continues without it. The engine cancels the
//! function if its result is no longer needed.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::task::AbortHandle;
use tokio::time::{Instant, sleep, sleep_until};

use super::clock::after;
use crate::activities::{AttemptLink, BoxFuture};
use crate::model::{ActivityToken, Payload};
use crate::process;

/// How long a function that has asked whether it is cancelled may take to end. Documented at
/// [`ActivityContext::is_cancelled`](crate::activities::ActivityContext::is_cancelled).
const GRACE: Duration = Duration::from_secs(10);

/// See the [module documentation](self).
#[derive(Debug)]
pub(crate) struct Link {
    /// The attempt's token, if it has one.
    token: Option<ActivityToken>,
    /// The details of the previous attempt.
    before: Option<Payload>,
    /// Whether the function has begun; decided once.
    begun: OnceLock<bool>,
    cancelled: AtomicBool,
    cancel_news: Notify,
    /// Whether the function has asked if it is cancelled.
    listens: AtomicBool,
    later: AtomicBool,
    later_news: Notify,
    beat: Mutex<Beat>,
    beat_news: Notify,
}

#[derive(Debug)]
struct Beat {
    /// When the last heartbeat arrived.
    at: Option<Instant>,
    /// The newest details.
    details: Option<Payload>,
    /// Whether they were passed on.
    passed_on: bool,
}

impl Link {
    /// The channel of a new attempt. `before` are the details of earlier attempts.
    pub(crate) fn new(token: Option<ActivityToken>, before: Option<Payload>) -> Arc<Self> {
        Arc::new(Self {
            token,
            before,
            begun: OnceLock::new(),
            cancelled: AtomicBool::new(false),
            cancel_news: Notify::new(),
            listens: AtomicBool::new(false),
            later: AtomicBool::new(false),
            later_news: Notify::new(),
            beat: Mutex::new(Beat { at: None, details: None, passed_on: true }),
            beat_news: Notify::new(),
        })
    }

    /// Marks the function as begun, unless the attempt was called off.
    pub(crate) fn begin(&self) -> bool {
        *self.begun.get_or_init(|| true)
    }

    /// Calls the attempt off. Returns whether it had not begun.
    pub(crate) fn call_off(&self) -> bool {
        !*self.begun.get_or_init(|| false)
    }

    /// Whether it was called off.
    pub(crate) fn is_called_off(&self) -> bool {
        self.begun.get() == Some(&false)
    }

    /// Cancels the function. A function that has never asked is dropped at once, others after a grace period.
    pub(crate) fn cancel(&self, task: &AbortHandle) {
        if self.cancelled.swap(true, Ordering::AcqRel) {
            return;
        }
        self.cancel_news.notify_waiters();
        if !self.listens.load(Ordering::Acquire) {
            return task.abort();
        }
        let task = task.clone();
        process::spawn(async move {
            sleep(GRACE).await;
            task.abort();
        });
    }

    /// Whether the attempt has a token.
    pub(crate) fn has_token(&self) -> bool {
        self.token.is_some()
    }

    /// The newest details of this attempt.
    pub(crate) fn details(&self) -> Option<Payload> {
        self.lock().details.clone()
    }

    /// The newest details of this attempt, or of one before.
    pub(crate) fn details_so_far(&self) -> Option<Payload> {
        self.details().or_else(|| self.before.clone())
    }

    /// Waits for details that have not been passed on.
    pub(crate) async fn has_beat(&self) {
        loop {
            let news = self.beat_news.notified();
            if !self.lock().passed_on {
                return;
            }
            news.await;
        }
    }

    /// Waits for details that have not been passed on, and returns them.
    pub(crate) async fn next_beat(&self) -> Option<Payload> {
        self.has_beat().await;
        let mut beat = self.lock();
        beat.passed_on = true;
        beat.details.clone()
    }

    /// Records a heartbeat that is already stored.
    pub(crate) fn hear(&self, details: Payload) {
        *self.lock() = Beat { at: Some(Instant::now()), details: Some(details), passed_on: true };
    }

    /// Waits until there was no heartbeat for `limit`, counted from `since`; without a limit, forever.
    pub(crate) async fn silence(&self, limit: Option<Duration>, since: Instant) {
        let Some(limit) = limit else { return std::future::pending().await };
        loop {
            let heard_at = self.lock().at;
            let until = after(heard_at.map_or(since, |at| at.max(since)), limit);
            if until <= Instant::now() {
                return;
            }
            sleep_until(until).await;
        }
    }

    /// Waits until the function declares that the attempt continues without it.
    pub(crate) async fn goes_on_without(&self) {
        loop {
            let news = self.later_news.notified();
            if self.later.load(Ordering::Acquire) {
                return;
            }
            news.await;
        }
    }

    fn lock(&self) -> MutexGuard<'_, Beat> {
        // The value is consistent after every operation, so a poisoned lock is usable.
        self.beat.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl AttemptLink for Link {
    fn heartbeat(&self, details: Payload) {
        *self.lock() = Beat { at: Some(Instant::now()), details: Some(details), passed_on: false };
        self.beat_news.notify_one();
    }

    fn last_heartbeat(&self) -> Option<Payload> {
        self.before.clone()
    }

    fn is_cancelled(&self) -> bool {
        self.listens.store(true, Ordering::Release);
        self.cancelled.load(Ordering::Acquire)
    }

    fn cancelled(self: Arc<Self>) -> BoxFuture<()> {
        Box::pin(async move {
            loop {
                let news = self.cancel_news.notified();
                tokio::pin!(news);
                // Registers the waiter before the check, so no notification is missed.
                news.as_mut().enable();
                if self.is_cancelled() {
                    return;
                }
                news.await;
            }
        })
    }

    fn token(&self) -> Option<ActivityToken> {
        self.token
    }

    fn complete_later(&self) {
        self.later.store(true, Ordering::Release);
        self.later_news.notify_one();
    }
}
