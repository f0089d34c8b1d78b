//! The workflows and the activity of the simulated workers.

use std::cell::RefCell;
use std::sync::Arc;
use std::time::Duration;

use piton::prelude::*;
use serde::{Deserialize, Serialize};

use crate::program::{Entry, Op, Trouble, Work};
use crate::world::World;

/// A numbered signal.
#[derive(Clone, Debug, Signal, Serialize, Deserialize)]
pub(crate) struct Number(pub(crate) u32);

/// Interprets a program.
#[workflow]
pub(crate) async fn interpret(cx: &Context, program: Vec<Op>) -> Vec<Entry> {
    let mut entries = Vec::new();
    for op in program {
        match op {
            Op::Work(work) => entries.push(entry(perform(work).await)),
            Op::Sleep(millis) => {
                let due = cx.now() + Duration::from_millis(millis);
                cx.sleep(Duration::from_millis(millis)).await;
                timer_fired(due);
                entries.push(Entry::Slept);
            }
            Op::Signal => entries.push(Entry::Signal(cx.signal::<Number>().await.0)),
            Op::SignalWithin(millis) => {
                let due = cx.now() + Duration::from_millis(millis);
                select! {
                    number = cx.signal::<Number>() => entries.push(Entry::Signal(number.0)),
                    _ = cx.sleep_until(due) => {
                        timer_fired(due);
                        entries.push(Entry::Slept);
                    }
                }
            }
            Op::All(works) => {
                let ended = join_all(works.into_iter().map(perform)).await;
                entries.extend(ended.into_iter().map(entry));
            }
            Op::Both(work, millis) => {
                let due = cx.now() + Duration::from_millis(millis);
                let (ended, ()) = join!(perform(work), cx.sleep_until(due));
                timer_fired(due);
                entries.push(entry(ended));
            }
            Op::Race(first, second) => select! {
                ended = perform(first) => entries.push(entry(ended)),
                ended = perform(second) => entries.push(entry(ended)),
            },
            Op::WorkWithin(work, millis) => select! {
                ended = perform(work) => entries.push(entry(ended)),
                _ = cx.sleep(Duration::from_millis(millis)) => entries.push(Entry::Slept),
            },
            Op::Repeat(times, inner) => {
                for _ in 0..times {
                    let more = Box::pin(interpret(inner.clone())).await;
                    entries.extend(more);
                }
            }
            Op::Inline(inner) => {
                let more = Box::pin(interpret(inner)).await;
                entries.extend(more);
            }
        }
    }
    entries
}

/// Interprets a program until asked to cancel; then does one thing more.
#[workflow]
pub(crate) async fn cancellable(cx: &Context, program: Vec<Op>) -> Result<Vec<Entry>, String> {
    select! {
        cancelled = cx.cancelled() => {
            let undo = Work { value: 0, millis: 0, trouble: Trouble::None };
            perform(undo).await.map_err(|error| error.to_string())?;
            Err(cancelled.reason)
        }
        entries = interpret(program) => Ok(entries),
    }
}

/// Returns, fails or hangs as it is told to.
#[activity(start_to_close = "2s", retry(initial = "200ms", backoff = 2.0, max_attempts = 4))]
pub(crate) async fn perform(cx: &ActivityContext, work: Work) -> Result<i64, String> {
    let world = cx.dependency::<Arc<World>>();
    let call = cx.info();
    let troubled = world.attempt_begins(call, &work.trouble);
    if work.millis > 0 {
        tokio::time::sleep(Duration::from_millis(work.millis)).await;
    }
    match work.trouble {
        Trouble::Hangs(_) if troubled => std::future::pending().await,
        Trouble::None | Trouble::Hangs(_) => {}
        Trouble::Fails(_) | Trouble::AlwaysFails if troubled => {
            return Err("as it was told".to_owned());
        }
        Trouble::Fails(_) | Trouble::AlwaysFails => {}
    }
    Ok(work.value)
}

fn entry(ended: Result<i64, ActivityError<String>>) -> Entry {
    match ended {
        Ok(value) => Entry::Value(value),
        Err(_) => Entry::Failed,
    }
}

thread_local! {
    static WORLD: RefCell<Option<Arc<World>>> = const { RefCell::new(None) };
}

/// Has timers of this thread checked by this world, until dropped.
pub(crate) struct TimersChecked(());

impl TimersChecked {
    pub(crate) fn by(world: &Arc<World>) -> Self {
        WORLD.set(Some(Arc::clone(world)));
        Self(())
    }
}

impl Drop for TimersChecked {
    fn drop(&mut self) {
        WORLD.set(None);
    }
}

/// Says that a timer has fired. Without an effect on the workflow, so a step may say it twice.
fn timer_fired(due: Timestamp) {
    WORLD.with_borrow(|world| {
        if let Some(world) = world {
            world.timer_fired(due);
        }
    });
}

#[cfg(test)]
mod tests {
    use piton::machine::Activity;

    use super::*;
    use crate::program::MAX_ATTEMPTS;

    #[test]
    fn results_are_checked_by_what_the_attribute_says() {
        let options = perform::OPTIONS;
        assert_eq!(options.retry.max_attempts, MAX_ATTEMPTS);
        assert!(options.start_to_close.is_some());
    }
}
