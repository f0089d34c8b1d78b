//! The running attempts of one run's activities, each in its own task.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::mpsc;
use tokio::task::{AbortHandle, JoinSet};
use tokio::time::sleep;

use super::attempt::{Attempt, AttemptEnd};
use crate::engine::link::Link;
use crate::engine::retry;
use crate::model::{Handle, Payload};
use crate::process;

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
#[derive(Default)]
pub(super) struct Attempts {
    tasks: JoinSet<AttemptEnd>,
    /// The attempt of each call.
    running: BTreeMap<Handle, Running>,
    /// What they say of themselves, not more often than it is to be written; `None` before the
    /// first task, which many runs never need.
    beats: Option<Beats>,
}

type Beats = (mpsc::UnboundedSender<Beat>, mpsc::UnboundedReceiver<Beat>);

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
    pub(super) fn start(&mut self, mut attempt: Attempt, alone: bool) -> Option<AttemptEnd> {
        if alone && let Some(end) = attempt.try_at_once() {
            return Some(end);
        }
        let info = attempt.context.info();
        let (handle, number) = (info.handle, info.attempt);
        let link = Arc::clone(&attempt.link);
        let (beats, _) = self.beats.get_or_insert_with(mpsc::unbounded_channel);
        let beats = beats.clone();
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
        let task = self.tasks.spawn(process::bind(made));
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

    /// Calls off the attempts that have not begun.
    pub(super) fn call_off(&mut self) {
        self.running.retain(|_, running| {
            let is_off = running.link.call_off();
            if is_off {
                running.task.abort();
            }
            !is_off
        });
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
                Some(beat) = next_beat(&mut self.beats) => return News::Beat(beat),
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
        self.beats.as_mut()?.1.try_recv().ok()
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

/// What an attempt says of itself next, if any was begun that may say something.
async fn next_beat(beats: &mut Option<Beats>) -> Option<Beat> {
    beats.as_mut()?.1.recv().await
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
