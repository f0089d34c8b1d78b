//! Activities that the test controls through its [`Lab`].

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use piton::prelude::*;
use serde::{Deserialize, Serialize};
use tokio::sync::Semaphore;

#[derive(Debug, Clone, PartialEq, Signal, Serialize, Deserialize)]
pub struct Approve {
    pub by: String,
}

/// The record of one test's activities, and their next behavior. Cheap to clone.
#[derive(Clone, Default)]
pub struct Lab(Arc<Inner>);

#[derive(Default)]
struct Inner {
    /// Attempt numbers, by the activity's argument, in the order in which they began.
    begun: Mutex<HashMap<String, Vec<u32>>>,
    /// The number of next attempts that fail, by argument.
    failures: Mutex<HashMap<String, u32>>,
    /// How many activities are inside [`Lab::within`] now, and the maximum so far.
    crowd: Mutex<(u32, u32)>,
    /// A hanging activity returns when it gets a permit.
    gate: Gate,
}

struct Gate(Semaphore);

impl Default for Gate {
    fn default() -> Self {
        Self(Semaphore::new(0))
    }
}

impl Lab {
    pub fn begun(&self, argument: &str) -> Vec<u32> {
        self.0.begun.lock().unwrap().get(argument).cloned().unwrap_or_default()
    }

    pub fn fail(&self, argument: &str, times: u32) {
        self.0.failures.lock().unwrap().insert(argument.to_owned(), times);
    }

    pub fn open_gate(&self) {
        self.0.gate.0.add_permits(1);
    }

    /// Waits for [`Lab::open_gate`].
    pub async fn pass_gate(&self) {
        self.0.gate.0.acquire().await.unwrap().forget();
    }

    /// The number of attempts that have begun, over all activities.
    pub fn attempts(&self) -> usize {
        self.0.begun.lock().unwrap().values().map(Vec::len).sum()
    }

    pub fn begin(&self, cx: &ActivityContext, argument: &str) {
        let attempt = cx.info().attempt;
        self.0.begun.lock().unwrap().entry(argument.to_owned()).or_default().push(attempt);
    }

    pub fn is_to_fail(&self, argument: &str) -> bool {
        let mut failures = self.0.failures.lock().unwrap();
        match failures.get_mut(argument) {
            Some(left) if *left > 0 => {
                *left -= 1;
                true
            }
            _ => false,
        }
    }
}

#[activity]
pub async fn add(a: u32, b: u32) -> u32 {
    a + b
}

#[activity]
pub async fn echo(cx: &ActivityContext, text: &str) -> String {
    cx.dependency::<Lab>().begin(cx, text);
    text.to_owned()
}

#[activity]
pub async fn slow(millis: u32) -> u32 {
    tokio::time::sleep(Duration::from_millis(u64::from(millis))).await;
    millis
}

/// Fails as often as the lab says. `hang` waits for the gate, `panic` panics.
#[activity(start_to_close = "10s", retry(initial = "1s", jitter = 0.0, max_attempts = 4))]
pub async fn perform(cx: &ActivityContext, what: &str) -> Result<String, String> {
    cx.dependency::<Lab>().perform(cx, what).await
}

/// Like [`perform`], at most once.
#[activity(at_most_once, start_to_close = "10s", retry(initial = "1s"))]
pub async fn once(cx: &ActivityContext, what: &str) -> Result<String, String> {
    cx.dependency::<Lab>().perform(cx, what).await
}

/// Blocks its thread for a moment, and counts how many do so at the same time.
#[activity(blocking, retry(panics = false))]
pub fn crunch(cx: &ActivityContext, what: &str) -> u32 {
    let lab = cx.dependency::<Lab>();
    lab.begin(cx, what);
    assert!(what != "panic", "as asked");
    lab.crowd(|| std::thread::sleep(Duration::from_millis(5)));
    7
}

/// Counts concurrent attempts; at most three are allowed.
#[activity(max_concurrent = 3)]
pub async fn queue_up(cx: &ActivityContext, millis: u64) {
    let lab = cx.dependency::<Lab>();
    lab.enter();
    tokio::time::sleep(Duration::from_millis(millis)).await;
    lab.leave();
}

/// Why [`pick`] fails.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum PickError {
    Busy,
    Gone { shelf: u32 },
    Later(u64),
}

impl Retryable for PickError {
    fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::Later(seconds) => Some(Duration::from_secs(*seconds)),
            _ => None,
        }
    }
}

/// Fails twice with this error.
#[activity(retry(initial = "1s", jitter = 0.0, non_retryable = [PickError::Gone { shelf: 1..=9 }]))]
pub async fn pick(cx: &ActivityContext, error: PickError) -> Result<u32, PickError> {
    cx.dependency::<Lab>().begin(cx, &format!("{error:?}"));
    if cx.info().attempt <= 2 { Err(error) } else { Ok(cx.info().attempt) }
}

/// Fails at first, with a general error that decides about its retry.
#[activity(retry(initial = "1s", jitter = 0.0))]
pub async fn fetch(cx: &ActivityContext, how: &str) -> piton::Result<u32> {
    if cx.info().attempt > 1 {
        return Ok(cx.info().attempt);
    }
    let error = piton::Error::msg("not now");
    match how {
        "permanent" => Err(error.permanent()),
        "minute" => Err(error.try_again_after(minutes(1)).context("asked too often")),
        _ => Err(error),
    }
}

impl Lab {
    async fn perform(&self, cx: &ActivityContext, what: &str) -> Result<String, String> {
        let lab = self;
        lab.begin(cx, what);
        if lab.is_to_fail(what) {
            return Err(format!("{what} failed"));
        }
        match what {
            "hang" => lab.pass_gate().await,
            "panic" => panic!("as asked"),
            _ => {}
        }
        Ok(format!("{what} done"))
    }

    /// Stays within for this long.
    pub async fn within(&self, duration: Duration) {
        self.enter();
        tokio::time::sleep(duration).await;
        self.leave();
    }

    /// The maximum number that were inside at the same time.
    pub fn most(&self) -> u32 {
        self.0.crowd.lock().unwrap().1
    }

    fn crowd(&self, within: impl FnOnce()) {
        self.enter();
        within();
        self.leave();
    }

    fn enter(&self) {
        let mut crowd = self.0.crowd.lock().unwrap();
        crowd.0 += 1;
        crowd.1 = crowd.1.max(crowd.0);
    }

    fn leave(&self) {
        self.0.crowd.lock().unwrap().0 -= 1;
    }
}
