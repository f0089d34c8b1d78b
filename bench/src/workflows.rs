//! The measured workflows. Their activities do nothing.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use piton::prelude::*;
use serde::{Deserialize, Serialize};
use tokio::sync::Semaphore;

/// The times at which [`mark()`] ran in this process.
static MARKS: Mutex<Vec<Instant>> = Mutex::new(Vec::new());

/// The number of the [`mark()`] in which the process dies; 0 for none.
static ABORT_AT: AtomicUsize = AtomicUsize::new(0);

/// Takes the times at which [`mark()`] has run since the last call.
pub(crate) fn take_marks() -> Vec<Instant> {
    // Whole after every operation, so a panic elsewhere does not spoil it.
    std::mem::take(&mut *MARKS.lock().unwrap_or_else(PoisonError::into_inner))
}

/// How often [`mark()`] has run since the marks were taken.
pub(crate) fn mark_count() -> usize {
    MARKS.lock().unwrap_or_else(PoisonError::into_inner).len()
}

/// Has the process die in this [`mark()`].
pub(crate) fn abort_at(count: Option<usize>) {
    ABORT_AT.store(count.unwrap_or(0), Ordering::Relaxed);
}

/// Two runs whose steps are let through by turns, so that both are measured in the same minute.
pub(crate) static TURNS: [Turns; 2] = [const { Turns::new() }; 2];

/// The turns of one run: its activities wait until they are let through.
#[derive(Debug)]
pub(crate) struct Turns {
    allowed: Semaphore,
    made: Semaphore,
    marks: Mutex<Vec<Instant>>,
}

impl Turns {
    const fn new() -> Self {
        let (allowed, made) = (Semaphore::const_new(0), Semaphore::const_new(0));
        Self { allowed, made, marks: Mutex::new(Vec::new()) }
    }

    /// Lets so many activities through, and returns the times at which they ran.
    pub(crate) async fn take(&self, count: u32) -> Vec<Instant> {
        self.allowed.add_permits(count as usize);
        self.made.acquire_many(count).await.expect("it is never closed").forget();
        std::mem::take(&mut *self.marks.lock().unwrap_or_else(PoisonError::into_inner))
    }

    async fn pass(&self) {
        self.allowed.acquire().await.expect("it is never closed").forget();
        self.marks.lock().unwrap_or_else(PoisonError::into_inner).push(Instant::now());
        self.made.add_permits(1);
    }
}

/// Returns what it is given.
#[activity]
pub(crate) async fn echo(text: &str) -> String {
    text.to_owned()
}

/// The same, and notes when.
#[activity]
pub(crate) async fn mark(text: &str) -> String {
    let count = {
        let mut marks = MARKS.lock().unwrap_or_else(PoisonError::into_inner);
        marks.push(Instant::now());
        marks.len()
    };
    if count == ABORT_AT.load(Ordering::Relaxed) {
        std::process::abort();
    }
    text.to_owned()
}

/// The same, when it is the turn of the run with this index in [`TURNS`].
#[activity]
pub(crate) async fn turn(run: usize, text: &str) -> String {
    TURNS[run].pass().await;
    text.to_owned()
}

/// How long each [`queued_echo()`] since the last call has taken from being asked for to its begin.
static WAITS: Mutex<Vec<Duration>> = Mutex::new(Vec::new());

/// Takes the waits of the activities on the queue since the last call.
pub(crate) fn take_waits() -> Vec<Duration> {
    std::mem::take(&mut *WAITS.lock().unwrap_or_else(PoisonError::into_inner))
}

/// The queue of [`queued_echo()`].
pub(crate) const QUEUE: &str = "echoes";

/// Returns what it is given, from a queue, and notes how long after it was asked for it has begun.
#[activity(queue = "echoes")]
pub(crate) async fn queued_echo(asked_at: i64, text: &str) -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let asked_at = Duration::from_micros(asked_at.unsigned_abs());
    let mut waits = WAITS.lock().unwrap_or_else(PoisonError::into_inner);
    waits.push(now.saturating_sub(asked_at));
    text.to_owned()
}

/// A signal.
#[derive(Clone, Debug, Signal, Serialize, Deserialize)]
pub(crate) struct Poke {
    pub(crate) text: String,
}

/// `count` steps, each with an activity. Returns the length of all that came back.
#[workflow]
pub(crate) async fn steps(count: u32, text: String) -> u64 {
    let mut length = 0;
    for _ in 0..count {
        length += echo(&text).await.len() as u64;
    }
    length
}

/// The same, going on while the database writes.
#[workflow(durability = "relaxed")]
pub(crate) async fn relaxed_steps(count: u32, text: String) -> u64 {
    let mut length = 0;
    for _ in 0..count {
        length += echo(&text).await.len() as u64;
    }
    length
}

/// The same, noting when each activity runs.
#[workflow]
pub(crate) async fn marked_steps(count: u32, text: String) -> u64 {
    let mut length = 0;
    for _ in 0..count {
        length += mark(&text).await.len() as u64;
    }
    length
}

/// The same, with activities that wait for the turn of this run.
#[workflow]
pub(crate) async fn turned_steps(run: usize, count: u32, text: String) -> u64 {
    let mut length = 0;
    for _ in 0..count {
        length += turn(run, &text).await.len() as u64;
    }
    length
}

/// Sleeps. Returns for how long, in microseconds, from the step before to the step after.
#[workflow]
pub(crate) async fn nap(cx: &Context, millis: u64) -> i64 {
    let begun = cx.now();
    cx.sleep(Duration::from_millis(millis)).await;
    cx.now().as_micros() - begun.as_micros()
}

/// Waits for `count` signals. Returns the length of all that came.
#[workflow]
pub(crate) async fn pokes(cx: &Context, count: u32) -> u64 {
    let mut length = 0;
    for _ in 0..count {
        length += cx.signal::<Poke>().await.text.len() as u64;
    }
    length
}

/// As many activities at a time as there are branches. Returns how many have come back.
#[workflow]
pub(crate) async fn fan_of_activities(branches: u32) -> u64 {
    join_all((0..branches).map(|_| echo("branch"))).await.len() as u64
}

/// The same with spawned operations.
#[workflow]
pub(crate) async fn fan_of_spawned(cx: &Context, branches: u32) -> u64 {
    let mut spawned = Vec::new();
    for _ in 0..branches {
        spawned.push(cx.spawn(echo("branch")));
    }
    join_all(spawned).await.len() as u64
}

/// The same with children.
#[workflow]
pub(crate) async fn fan_of_children(cx: &Context, branches: u32) -> u64 {
    let mut children = Vec::new();
    for _ in 0..branches {
        children.push(cx.start_child(steps(1, "branch".to_owned())));
    }
    let lengths = join_all(children).await;
    lengths.into_iter().filter(Result::is_ok).count() as u64
}

/// The name of the promise of [`promised()`], which is that of the state in which it awaits it.
pub(crate) const PROMISE: &str = "approval";

/// Awaits a promise. Returns the length of its value.
#[workflow]
pub(crate) async fn promised(cx: &Context) -> u64 {
    let approval: Promise<String> = cx.promise(PROMISE);
    approval.await.map_or(0, |text| text.len() as u64)
}

/// Goes round for ever: a short sleep and an activity on a queue; every so many times a sleep for which the
/// run is parked.
#[workflow]
pub(crate) async fn rounds(cx: &Context, text: String) {
    let mut round: u64 = 0;
    loop {
        round += 1;
        let long = round.is_multiple_of(20);
        cx.sleep(Duration::from_millis(if long { 300 } else { 1 })).await;
        queued_echo(cx.now().as_micros(), &text).await;
    }
}

/// Started by a schedule.
#[workflow]
pub(crate) async fn due() {}
