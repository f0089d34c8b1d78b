//! The workflows and the activities of the simulated workers.

use std::cell::RefCell;
use std::sync::Arc;
use std::time::Duration;

use piton::error::ChildError;
use piton::machine::{Activity, PromiseError};
use piton::model::RunId;
use piton::prelude::*;
use piton::store::memory::Notebook;
use serde::{Deserialize, Serialize};

use crate::clerks;
use crate::program::{Entry, Kind, Limit, Op, QUEUES, Trouble, Work};
use crate::ties::{Care, Child, Promised};
use crate::world::World;

/// A numbered signal.
#[derive(Clone, Debug, Signal, Serialize, Deserialize)]
pub(crate) struct Number(pub(crate) u32);

/// What runs send each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Signal, Serialize, Deserialize)]
pub(crate) struct Letter {
    /// The run that has sent it.
    pub(crate) from: RunId,
    /// What the sender's program says.
    pub(crate) number: u32,
}

/// A question that a run answers, by its number.
#[derive(Clone, Copy, Debug, Update, Serialize, Deserialize)]
#[update(reply = u32)]
pub(crate) struct Question(pub(crate) u32);

/// An update that no run awaits.
#[derive(Clone, Copy, Debug, Update, Serialize, Deserialize)]
#[update(reply = u32)]
pub(crate) struct Riddle;

impl Question {
    /// The only right answer.
    pub(crate) fn answer(self) -> u32 {
        self.0 * 3 + 1
    }
}

/// Interprets a program.
#[workflow]
pub(crate) async fn interpret(program: Vec<Op>) -> Vec<Entry> {
    play(program, 0).await.entries
}

/// Interprets a program ahead of its checkpoint.
#[workflow(durability = "relaxed", max_steps_ahead = 3)]
pub(crate) async fn hasty(program: Vec<Op>) -> Vec<Entry> {
    play(program, 0).await.entries
}

/// Interprets a program until asked to cancel; then does one thing more.
#[workflow]
pub(crate) async fn cancellable(cx: &Context, program: Vec<Op>) -> Result<Vec<Entry>, String> {
    select! {
        cancelled = cx.cancelled() => {
            perform(UNDO).await.map_err(|error| error.to_string())?;
            Err(cancelled.reason)
        }
        played = play(program, 0) => Ok(played.entries),
    }
}

/// Interprets a program, and notes before each part of it how it is undone. Every other part is shielded.
#[workflow]
pub(crate) async fn revocable(cx: &Context, program: Vec<Op>) -> Result<Vec<Entry>, String> {
    let mut entries = Vec::new();
    let mut awaited = 0;
    let mut number = 0;
    for op in program {
        // Some are undone by way of a queue, the first of them.
        if number % 3 == 1 {
            cx.on_failure(undo(number, QUEUED_UNDO).queue(QUEUES[0]));
        } else {
            cx.on_failure(undo(number, UNDO));
        }
        let played = if number % 2 == 0 {
            play(vec![op], awaited).or_cancelled().await.map_err(|cancelled| cancelled.reason)?
        } else {
            cx.shield(play(vec![op], awaited)).await
        };
        entries.extend(played.entries);
        awaited = played.awaited;
        number += 1;
    }
    Ok(entries)
}

/// Fails in its first attempts, so many of them, each after milliseconds. Returns which attempt has not. Each attempt
/// starts one child that ends with it, and one that stays until the last.
#[workflow]
pub(crate) async fn effort(cx: &Context, failures: u32, millis: u64) -> Result<u32, String> {
    let _ = cx.start_child(linger()).ends_with_run();
    let _ = cx.start_child(linger());
    cx.sleep(Duration::from_millis(millis)).await;
    match cx.attempt() {
        attempt if attempt <= failures => Err("as it was told".to_owned()),
        attempt => Ok(attempt),
    }
}

/// Has no end of its own.
#[workflow]
pub(crate) async fn linger(cx: &Context) {
    cx.cancelled().await;
}

/// Takes milliseconds twice. One that has a flaw then fails, until its code is mended.
#[workflow]
pub(crate) async fn brittle(
    cx: &Context,
    tenant: usize,
    has_flaw: bool,
    millis: u64,
) -> Result<(), String> {
    cx.sleep(Duration::from_millis(millis)).await;
    cx.sleep(Duration::from_millis(millis)).await;
    if has_flaw && !is_mended(tenant) {
        return Err("as it was told".to_owned());
    }
    Ok(())
}

/// Takes milliseconds.
#[workflow]
pub(crate) async fn tick(cx: &Context, millis: u64) {
    cx.sleep(Duration::from_millis(millis)).await;
}

/// What is done once a run is cancelled.
const UNDO: Work =
    Work { value: 0, millis: 0, trouble: Trouble::None, kind: Kind::Local, awaited: 0 };

/// The same, on the first queue.
const QUEUED_UNDO: Work = Work { kind: Kind::Queued, ..UNDO };

/// Undoes a part of what a run has done.
#[activity(start_to_close = "2s", retry(initial = "200ms", backoff = 2.0, max_attempts = 4))]
async fn undo(cx: &ActivityContext, number: u32, work: Work) -> Result<i64, String> {
    cx.dependency::<Arc<World>>().undo_begins(cx.info(), number);
    attempt(cx, &work).await
}

/// How far a program has come.
#[derive(Default, Serialize, Deserialize)]
struct Played {
    entries: Vec<Entry>,
    /// How many activities were awaited, one after the other: there were at least as many steps.
    awaited: u32,
}

/// Plays a part of a program, after so many activities.
#[workflow]
async fn play(cx: &Context, program: Vec<Op>, before: u32) -> Played {
    let mut entries = Vec::new();
    let mut awaited = before;
    for op in program {
        match op {
            Op::Work(work) => {
                entries.push(entry(call(work, awaited).await));
                awaited += 1;
            }
            Op::Sleep(millis) => {
                let due = cx.now() + Duration::from_millis(millis);
                cx.sleep(Duration::from_millis(millis)).await;
                timer_fired(due);
                entries.push(Entry::Slept);
            }
            Op::Signal => entries.push(Entry::Signal(cx.signal::<Number>().await.0)),
            Op::SignalWithin(millis, Limit::Timer) => {
                let due = cx.now() + Duration::from_millis(millis);
                select! {
                    number = cx.signal::<Number>() => entries.push(Entry::Signal(number.0)),
                    _ = cx.sleep_until(due) => {
                        timer_fired(due);
                        entries.push(Entry::Slept);
                    }
                }
            }
            Op::SignalWithin(millis, Limit::Timeout) => {
                let limit = Duration::from_millis(millis);
                let due = cx.now() + limit;
                match cx.signal::<Number>().timeout(limit).await {
                    Some(number) => entries.push(Entry::Signal(number.0)),
                    None => {
                        timer_fired(due);
                        entries.push(Entry::Slept);
                    }
                }
            }
            Op::All(works) => {
                let count = awaited;
                let ended = join_all(works.into_iter().map(move |work| call(work, count))).await;
                entries.extend(ended.into_iter().map(entry));
            }
            Op::Both(work, millis) => {
                let due = cx.now() + Duration::from_millis(millis);
                let (ended, ()) = join!(call(work, awaited), cx.sleep_until(due));
                timer_fired(due);
                entries.push(entry(ended));
            }
            Op::Race(first, second) => select! {
                ended = call(first, awaited) => entries.push(entry(ended)),
                ended = call(second, awaited) => entries.push(entry(ended)),
            },
            Op::WorkWithin(work, millis) => select! {
                ended = call(work, awaited) => entries.push(entry(ended)),
                _ = cx.sleep(Duration::from_millis(millis)) => entries.push(Entry::Slept),
            },
            Op::Repeat(times, inner) => {
                for _ in 0..times {
                    let more = Box::pin(play(inner.clone(), awaited)).await;
                    entries.extend(more.entries);
                    awaited = more.awaited;
                }
            }
            Op::Inline(inner) => {
                let more = Box::pin(play(inner, awaited)).await;
                entries.extend(more.entries);
                awaited = more.awaited;
            }
            Op::Branches(first, second) => {
                let (first, second) =
                    join!(Box::pin(play(first, awaited)), Box::pin(play(second, awaited)));
                entries.extend(first.entries);
                entries.extend(second.entries);
                awaited = first.awaited.max(second.awaited);
            }
            Op::Tell(to, number) => {
                cx.signal_run(format!("run-{to}"), Letter { from: cx.run_id(), number });
            }
            Op::Letter(millis) => {
                let limit = Duration::from_millis(millis);
                let due = cx.now() + limit;
                match cx.signal::<Letter>().timeout(limit).await {
                    Some(letter) => entries.push(Entry::Letter(letter.number)),
                    None => {
                        timer_fired(due);
                        entries.push(Entry::Slept);
                    }
                }
            }
            Op::Answer(millis) => {
                let limit = Duration::from_millis(millis);
                let due = cx.now() + limit;
                match cx.update::<Question>().timeout(limit).await {
                    Some(question) => {
                        // Every other one is kept for a while.
                        if question.0 % 2 == 0 {
                            cx.sleep(Duration::from_millis(10)).await;
                        }
                        let (question, owed) = question.into_parts();
                        entries.push(Entry::Answered(question.0));
                        owed.reply(question.answer());
                    }
                    None => {
                        timer_fired(due);
                        entries.push(Entry::Slept);
                    }
                }
            }
            Op::Promise(promised, None) => {
                entries.push(promised_entry(promise(cx, promised).await));
            }
            Op::Promise(promised, Some(millis)) => {
                let limit = Duration::from_millis(millis);
                let due = cx.now() + limit;
                match promise(cx, promised).timeout(limit).await {
                    Some(outcome) => entries.push(promised_entry(outcome)),
                    None => {
                        timer_fired(due);
                        entries.push(Entry::Slept);
                    }
                }
            }
            Op::Settle(promised, value) => {
                let token = promise(cx, promised).token();
                cx.complete_promise::<i64, String>(&token, Ok(value));
            }
            Op::Child(child) => entries.extend(raise(child).await),
            Op::Item(number) => {
                let queue = QUEUES[number as usize % QUEUES.len()];
                entries.push(match post(number).queue(queue).await {
                    Ok(number) => Entry::Item(number),
                    Err(_) => Entry::Failed,
                });
            }
            Op::Fragile => {
                break_where_broken();
                cx.sleep(Duration::ZERO).await;
                entries.push(Entry::Slept);
            }
        }
    }
    Played { entries, awaited }
}

/// Starts a child, and does about it what it is told to.
#[workflow]
async fn raise(cx: &Context, child: Child) -> Vec<Entry> {
    let Child { program, shares, on_close, care } = child;
    let child = cx.start_child(cancellable(program)).on_parent_close(on_close.into());
    let child = match shares {
        Some(number) => child.id(format!("child-{number}")),
        None => child,
    };
    match care {
        Care::Leave => Vec::new(),
        Care::Await => vec![child_entry(child.await)],
        Care::AwaitTwice => {
            let first = child_entry(child.result().await);
            vec![first, child_entry(child.await)]
        }
        Care::Cancel => {
            child.cancel(cx, "enough");
            vec![child_entry(child.await)]
        }
    }
}

fn child_entry(ended: Result<Vec<Entry>, ChildError<String>>) -> Entry {
    Entry::Child(ended.ok())
}

/// The promise as the run knows it.
fn promise(cx: &Context, promised: Promised) -> Promise<i64, String> {
    let name = promised.name();
    match promised {
        Promised::Own(_) => cx.promise(name),
        Promised::Shared(_) => cx.shared_promise(name),
        Promised::Of(run, _) => {
            cx.await_promise(PromiseToken::of_workflow_id("interpret", format!("run-{run}"), name))
        }
    }
}

fn promised_entry(outcome: Result<i64, PromiseError<String>>) -> Entry {
    match outcome {
        Ok(value) => Entry::Promised(value),
        Err(PromiseError::Rejected(_)) => Entry::Refused,
        Err(_) => Entry::Broken,
    }
}

/// The call of an activity as its kind has it.
#[workflow]
async fn call(work: Work, awaited: u32) -> Result<i64, ActivityError<String>> {
    let work = Work { awaited, ..work };
    let (queue, partition) = (work.queue(), work.partition());
    match (work.kind, queue) {
        (Kind::Queued, Some(queue)) => perform(work).queue(queue).partition(partition).await,
        (Kind::QueuedWithin(millis), Some(queue)) => {
            let limit = Duration::from_millis(millis);
            perform(work).queue(queue).partition(partition).schedule_to_start(limit).await
        }
        (Kind::Once, _) => risk(work).await,
        (Kind::QueuedOnce, Some(queue)) => risk(work).queue(queue).await,
        (Kind::Written, _) => write(work).await,
        (Kind::Beating(_), None) => beat(work).await,
        (Kind::Beating(_), Some(queue)) => beat(work).queue(queue).partition(partition).await,
        (Kind::Signed(_), Some(queue)) => sign(work).queue(queue).await,
        (Kind::Signed(_), None) => vouch(work).await,
        (Kind::Within(_, millis), queue) => {
            let call = perform(work).schedule_to_close(Duration::from_millis(millis));
            match queue {
                Some(queue) => call.queue(queue).partition(partition).await,
                None => call.await,
            }
        }
        _ => perform(work).await,
    }
}

/// Returns, fails or hangs as it is told to.
#[activity(start_to_close = "2s", retry(initial = "200ms", backoff = 2.0, max_attempts = 4))]
pub(crate) async fn perform(cx: &ActivityContext, work: Work) -> Result<i64, String> {
    attempt(cx, &work).await
}

/// The same, at most once.
#[activity(at_most_once, start_to_close = "2s")]
async fn risk(cx: &ActivityContext, work: Work) -> Result<i64, String> {
    attempt(cx, &work).await
}

/// The same, with a note of what it returns.
#[activity(
    transaction,
    start_to_close = "2s",
    retry(initial = "200ms", backoff = 2.0, max_attempts = 4)
)]
async fn write(cx: &ActivityContext, book: &mut Notebook, work: Work) -> Result<i64, String> {
    book.write(cx.idempotency_key());
    attempt(cx, &work).await
}

/// The same, slower, and says that it lives. One that hangs falls silent.
#[activity(
    heartbeat = "3s",
    start_to_close = "20s",
    retry(initial = "200ms", backoff = 2.0, max_attempts = 4)
)]
async fn beat(cx: &ActivityContext, work: Work) -> Result<i64, String> {
    let world = cx.dependency::<Arc<World>>();
    let _running = world.running(work.queue());
    let troubled = world.attempt_begins(cx.info(), &work);
    world.attempt_knows(cx.info(), cx.last_heartbeat());
    let says = |number| {
        let said = (cx.info().attempt, number);
        world.attempt_says(cx.info(), said);
        cx.heartbeat(&said).map_err(|error| error.to_string())
    };
    let times = work.millis % 8;
    for number in 0..times {
        says(number)?;
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
    // What is said at the very end nobody has passed on before.
    says(times)?;
    come_to(&Work { millis: 0, ..work }, troubled).await
}

/// Carries out an item. The first attempts of some fail.
#[activity(
    queue = "far",
    key = "{number}",
    start_to_close = "2s",
    retry(initial = "200ms", backoff = 2.0, max_attempts = 4)
)]
async fn post(cx: &ActivityContext, number: u32) -> Result<u32, String> {
    let world = cx.dependency::<Arc<World>>();
    let queue = QUEUES[number as usize % QUEUES.len()];
    let _running = world.running(Some(queue));
    world.item_begins(cx.info(), number);
    tokio::time::sleep(Duration::from_millis(u64::from(number) * 20)).await;
    match cx.info().attempt <= number % 3 {
        true => Err("as it was told".to_owned()),
        false => Ok(number),
    }
}

/// Is completed from outside.
#[activity(
    queue = "far",
    start_to_close = "20s",
    retry(initial = "200ms", backoff = 2.0, max_attempts = 4)
)]
pub(crate) async fn sign(cx: &ActivityContext, work: Work) -> Result<i64, String> {
    leave_with_clerks::<sign>(cx, &work);
    cx.complete_later().await
}

/// The same, without a queue.
#[activity(start_to_close = "20s", retry(initial = "200ms", backoff = 2.0, max_attempts = 4))]
pub(crate) async fn vouch(cx: &ActivityContext, work: Work) -> Result<i64, String> {
    leave_with_clerks::<vouch>(cx, &work);
    cx.complete_later().await
}

fn leave_with_clerks<A: Activity<Return = Result<i64, String>>>(cx: &ActivityContext, work: &Work) {
    let world = cx.dependency::<Arc<World>>();
    world.attempt_begins(cx.info(), work);
    clerks::expect::<A>(&world, cx.info(), cx.token(), work.value);
}

async fn attempt(cx: &ActivityContext, work: &Work) -> Result<i64, String> {
    let world = cx.dependency::<Arc<World>>();
    let _running = world.running(work.queue());
    if world.is_redriven(cx.info()) {
        return come_to(work, true).await;
    }
    let troubled = world.attempt_begins(cx.info(), work);
    let came_to = come_to(work, troubled).await;
    world.attempt_ends(cx.info(), work);
    came_to
}

async fn come_to(work: &Work, troubled: bool) -> Result<i64, String> {
    if work.millis > 0 {
        tokio::time::sleep(Duration::from_millis(work.millis)).await;
    }
    match work.trouble {
        Trouble::Hangs(_) if troubled => std::future::pending().await,
        Trouble::Fails(_) | Trouble::AlwaysFails if troubled => Err("as it was told".to_owned()),
        _ => Ok(work.value),
    }
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

fn is_mended(tenant: usize) -> bool {
    WORLD.with_borrow(|world| world.as_ref().is_some_and(|world| world.is_mended(tenant)))
}

/// Takes a step that fails in a build that is broken.
fn break_where_broken() {
    let is_broken =
        WORLD.with_borrow(|world| world.as_ref().is_some_and(|world| world.is_broken()));
    if is_broken {
        // Without a word on stderr.
        std::panic::resume_unwind(Box::new(BROKEN.to_owned()));
    }
}

/// What a broken build panics with.
pub(crate) const BROKEN: &str = "this build is broken";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::MAX_ATTEMPTS;

    #[test]
    fn results_are_checked_by_what_the_attribute_says() {
        for options in
            [perform::OPTIONS, write::OPTIONS, beat::OPTIONS, sign::OPTIONS, vouch::OPTIONS]
        {
            assert_eq!(options.retry.max_attempts, MAX_ATTEMPTS);
            assert!(options.start_to_close.is_some());
        }
    }
}
