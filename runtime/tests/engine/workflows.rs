//! The workflows of the engine's tests.

use std::convert::Infallible;
use std::marker::PhantomData;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use piton::__private::{ArgumentKind, Call, Outcomes};
use piton::codec::Arguments;
use piton::machine::{Activity, ActivityCall};
use piton::prelude::*;

use crate::activities::*;

#[workflow]
pub async fn chain(length: u32) -> u32 {
    let mut sum = 0;
    for number in 0..length {
        sum = add(sum, number).await;
    }
    sum
}

#[workflow]
pub async fn work(name: String) -> Result<String, String> {
    perform(&name).await.map_err(|error| error.to_string())
}

#[workflow]
pub async fn risk(name: String) -> Result<String, String> {
    once(&name).await.map_err(|error| error.to_string())
}

/// Whether [`torn`] panics while its activity is running.
pub static TORN_BREAKS: AtomicBool = AtomicBool::new(false);

#[workflow(allow(shared_state))]
pub async fn torn(name: String) -> Result<String, String> {
    async fn breaking() {
        echo("torn").await;
        assert!(!TORN_BREAKS.load(Ordering::SeqCst), "torn");
    }
    let (text, ()) = join!(once(&name), breaking());
    text.map_err(|error| error.to_string())
}

/// Collects until no signal arrives for this many seconds.
#[workflow]
pub async fn patient(cx: &Context, patience: u64) -> Vec<String> {
    let mut all = Vec::new();
    while let Some(approve) = cx.signal::<Approve>().timeout(seconds(patience)).await {
        all.push(approve.by);
    }
    all
}

/// Waits for a signal and a timer, and for both with a limit.
#[workflow]
pub async fn both_within(cx: &Context) -> (Option<String>, bool) {
    let (approve, ()) = join!(cx.signal::<Approve>().timeout(seconds(5)), cx.sleep(seconds(8)));
    let again = cx.signal::<Approve>().timeout(Duration::ZERO).await;
    (approve.map(|approve| approve.by), again.is_some())
}

#[workflow]
pub async fn sleeps_until(cx: &Context, at: Timestamp) -> Timestamp {
    cx.sleep_until(at).await;
    cx.now()
}

/// Echoes its numbers, then takes a signal for each.
#[workflow(durability = "relaxed", max_steps_ahead = 5)]
pub async fn hasty(cx: &Context, count: u32, signals: u32) -> Vec<String> {
    let mut all = Vec::new();
    for number in 0..count {
        all.push(echo(&format!("echo {number}")).await);
    }
    for number in 0..signals {
        all.push(cx.signal::<Approve>().await.by);
        all.push(echo(&format!("signal {number}")).await);
    }
    all
}

#[workflow(durability = "relaxed")]
pub async fn hasty_by_default(count: u32) -> u32 {
    for number in 0..count {
        echo(&number.to_string()).await;
    }
    count
}

/// Relaxed, with an at-most-once activity in the middle.
#[workflow(durability = "relaxed")]
pub async fn hasty_risk() -> Result<String, String> {
    for number in 0..3 {
        echo(&number.to_string()).await;
    }
    let done = once("risk").await.map_err(|error| error.to_string());
    for number in 3..6 {
        echo(&number.to_string()).await;
    }
    done
}

/// Whether [`hasty_break`] panics in its fourth step.
pub static HASTY_BREAKS: AtomicBool = AtomicBool::new(false);

#[workflow(durability = "relaxed", allow(shared_state))]
pub async fn hasty_break() -> u32 {
    for number in 0..3 {
        echo(&number.to_string()).await;
    }
    assert!(!HASTY_BREAKS.load(Ordering::SeqCst), "too hasty");
    3
}

/// Joins activities, one of which takes long.
#[workflow(durability = "relaxed")]
pub async fn hasty_join() -> Result<String, String> {
    echo("first").await;
    let (text, _) = join!(perform("hang"), echo("second"));
    text.map_err(|error| error.to_string())
}

#[workflow]
pub async fn crunch_all(count: u32) -> u32 {
    join_all((0..count).map(|n| crunch(&n.to_string()))).await.iter().sum()
}

#[workflow]
pub async fn crunch_one(what: String) -> u32 {
    crunch(&what).await
}

#[workflow]
pub async fn crowd(count: u32) -> u32 {
    join_all((0..count).map(|_| queue_up(100))).await;
    count
}

#[workflow]
pub async fn picking(error: PickError) -> Result<u32, ActivityError<PickError>> {
    pick(error).await
}

#[workflow]
pub async fn fetching(how: String) -> piton::Result<u32> {
    Ok(fetch(&how).await?)
}

/// Awaits an activity that returns no `Result`, with a limit of a second.
#[workflow]
pub async fn steadfast(millis: u32) -> u32 {
    slow(millis).start_to_close(seconds(1)).retry(RetryPolicy::NEVER).await
}

#[workflow]
pub async fn approval(cx: &Context, patience: u64) -> Result<String, String> {
    select! {
        approve = cx.signal::<Approve>() => Ok(approve.by),
        _ = cx.sleep(seconds(patience)) => Err("nobody approved".to_owned()),
    }
}

#[workflow]
pub async fn collect(cx: &Context, count: usize) -> Vec<String> {
    let mut all = Vec::new();
    while all.len() < count {
        all.push(cx.signal::<Approve>().await.by);
    }
    all
}

#[workflow]
pub async fn fan_out(count: u32) -> u32 {
    join_all((0..count).map(slow)).await.iter().sum()
}

/// Whether [`fragile`] panics in its second step.
pub static FRAGILE_BREAKS: AtomicBool = AtomicBool::new(false);

#[workflow(allow(shared_state))]
pub async fn fragile(name: String) -> String {
    let text = echo(&name).await;
    assert!(!FRAGILE_BREAKS.load(Ordering::SeqCst), "a fragile step");
    text
}

#[workflow]
pub async fn careful(cx: &Context) -> Result<String, String> {
    select! {
        cancelled = cx.cancelled() => {
            echo("undo").await;
            Err(cancelled.reason)
        }
        text = perform("hang") => text.map_err(|error| error.to_string()),
    }
}

#[workflow]
pub async fn naps(cx: &Context, count: u32, millis: u64) -> u32 {
    for _ in 0..count {
        cx.sleep(Duration::from_millis(millis)).await;
    }
    count
}

#[workflow]
pub async fn long_wait(cx: &Context) -> String {
    cx.sleep(hours(5)).await;
    "woken".to_owned()
}

/// An activity that this build calls and does not have.
#[allow(non_camel_case_types)]
pub enum undeployed {}

impl Activity for undeployed {
    type Return = u32;
    type Output = u32;
    type Error = Infallible;
    const NAME: &'static str = "undeployed";
    const ARGUMENTS: &'static [ArgumentKind] = &[];
    const OUTCOMES: &'static Outcomes<u32, u32, Infallible> = Outcomes::of();
}

impl undeployed {
    fn call() -> ActivityCall<Self> {
        let call = Call::new(Arguments::of(Self::ARGUMENTS), Self::NAME);
        ActivityCall { call, activity: PhantomData }
    }
}

#[workflow]
pub async fn calls_undeployed() -> u32 {
    undeployed::call().await
}
