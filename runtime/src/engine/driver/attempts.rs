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

/// A heartbeat of a running attempt.
pub(super) struct Beat {
    /// The call.
    pub(super) handle: Handle,
    /// The attempt's number.
    pub(super) attempt: u32,
    /// Details for a later attempt.
    pub(super) details: Payload,
}

/// An event of an attempt.
pub(super) enum News {
    /// It has ended.
    End(AttemptEnd),
    /// It has sent a heartbeat with details.
    Beat(Beat),
}

/// The running attempts. Dropping this aborts them.
#[derive(Default)]
pub(super) struct Attempts {
    tasks: JoinSet<AttemptEnd>,
    /// The attempt of each call.
    running: BTreeMap<Handle, Running>,
    /// Throttled heartbeats. `None` before the first task, which many runs never need.
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

    /// The calls of running attempts.
    pub(super) fn handles(&self) -> impl Iterator<Item = Handle> {
        self.running.keys().copied()
    }

    /// Begins an attempt, in its own task unless it ends before its first wait. In that case returns its end.
    ///
    /// If it is not `alone`, others begin at the same time, each in its task from the start: a function that is
    /// slow to reach its first wait then does not delay the others.
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
                // A driver that has ended writes nothing more.
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

    /// Gives an attempt the details that were sent with its token.
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

    /// Cancels the attempts for which `keep` returns `false`, given their call and number.
    pub(super) fn retain(&mut self, keep: impl Fn(Handle, u32) -> bool) {
        self.running.retain(|handle, running| {
            let keep = keep(*handle, running.number);
            if !keep {
                running.link.cancel(&running.task);
            }
            keep
        });
    }

    /// Calls off attempts that have not begun.
    pub(super) fn call_off(&mut self) {
        self.running.retain(|_, running| {
            let is_off = running.link.call_off();
            if is_off {
                running.task.abort();
            }
            !is_off
        });
    }

    /// Cancels all attempts, and lets functions that watch for cancellation end by themselves.
    pub(super) fn let_go(&mut self) {
        self.retain(|_, _| false);
        self.tasks.detach_all();
    }

    /// Waits for an event of an attempt; never returns if none is running. Cancellation safe.
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
                // An attempt that was aborted, possibly too late to prevent its end.
                _ => {}
            }
        }
    }

    /// A heartbeat that is waiting, if any.
    pub(super) fn try_beat(&mut self) -> Option<Beat> {
        self.beats.as_mut()?.1.try_recv().ok()
    }

    /// The end of an attempt, if any has ended.
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

/// The next heartbeat, if any running attempt can send one.
async fn next_beat(beats: &mut Option<Beats>) -> Option<Beat> {
    beats.as_mut()?.1.recv().await
}

/// Passes heartbeats on: the newest details, `throttle` after the first unsent ones.
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
