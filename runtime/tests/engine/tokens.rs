//! Attempts that are completed from outside, by their tokens.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use piton::error::{RunError, TokenError};
use piton::machine::{Activity, Workflow};
use piton::prelude::*;
use serde_json::json;
use tokio::time::{Instant, sleep};

use crate::activities::Lab;
use crate::faults::{Away, Failing};
use crate::rig::Rig;

/// Receives the tokens of activities; in a real program, an e-mail or a webhook.
#[derive(Clone, Default)]
struct Mailbox(Arc<Mutex<Vec<String>>>);

impl Mailbox {
    fn tokens(&self) -> Vec<ActivityToken> {
        self.0.lock().unwrap().iter().map(|text| text.parse().unwrap()).collect()
    }
}

#[derive(Debug)]
enum Refused {
    Busy,
    Final,
}

impl std::fmt::Display for Refused {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Busy => "busy",
            Self::Final => "no",
        })
    }
}

impl serde::Serialize for Refused {
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        serde::Serialize::serialize(&matches!(self, Self::Final), to)
    }
}

impl<'de> serde::Deserialize<'de> for Refused {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let is_final = <bool as serde::Deserialize>::deserialize(from)?;
        Ok(if is_final { Self::Final } else { Self::Busy })
    }
}

#[activity(
    queue = "mail",
    start_to_close = "1h",
    retry(initial = "1s", jitter = 0.0, max_attempts = 3, non_retryable = [Refused::Final])
)]
async fn sign(cx: &ActivityContext, how: &str) -> Result<u32, Refused> {
    cx.dependency::<Lab>().begin(cx, how);
    cx.dependency::<Mailbox>().0.lock().unwrap().push(cx.token().to_string());
    match how {
        "waits itself" => sleep(Duration::from_secs(600)).await,
        "reports" => cx.heartbeat(&cx.info().attempt).unwrap(),
        _ => {}
    }
    cx.complete_later().await
}

/// Another activity.
#[activity]
async fn homebound(cx: &ActivityContext) -> u32 {
    cx.complete_later().await
}

#[workflow]
async fn signature(how: String) -> Result<u32, String> {
    sign(&how).await.map_err(|error| error.to_string())
}

#[activity(retry(initial = "1s"))]
async fn sign_here(cx: &ActivityContext) -> Result<u32, Refused> {
    cx.dependency::<Mailbox>().0.lock().unwrap().push(cx.token().to_string());
    cx.complete_later().await
}

#[workflow]
async fn signature_here() -> Result<u32, String> {
    sign_here().await.map_err(|error| error.to_string())
}

#[workflow]
async fn silent_signature() -> Result<u32, String> {
    sign("silent").heartbeat(seconds(10)).await.map_err(|error| error.to_string())
}

fn text(name: &str) -> String {
    name.to_owned()
}

struct Office {
    rig: Rig,
    mailbox: Mailbox,
    worker: RunningWorker,
}

async fn office() -> Office {
    let rig = Rig::new();
    let mailbox = Mailbox::default();
    let worker = rig.worker().provide(mailbox.clone()).queue("mail").start().await.unwrap();
    Office { rig, mailbox, worker }
}

impl Office {
    /// Waits for this many tokens and returns the last.
    async fn token(&self, count: usize) -> ActivityToken {
        let mailbox = self.mailbox.clone();
        self.rig.until_true(|| mailbox.tokens().len() == count).await;
        self.mailbox.tokens()[count - 1]
    }
}

#[tokio::test(start_paused = true)]
async fn an_activity_is_completed_from_outside() {
    let office = office().await;
    let run = office.rig.client.start(signature(text("later"))).await.unwrap();
    let token = office.token(1).await;
    sleep(Duration::from_secs(1_000)).await;
    // Another program with the same database.
    let client = Client::new(office.rig.store.clone());
    client.complete_activity::<sign>(token, Ok(7)).await.unwrap();
    assert_eq!(run.result().await.unwrap(), 7);
    assert_eq!(office.rig.lab.begun("later"), [1]);
    office.worker.shutdown().await.unwrap();
}

/// The first attempt fails, the second succeeds, and then the first token is used once more.
async fn use_tokens_while_the_database_is_away<A: Activity<Return = Result<u32, Refused>>>(
    office: &Office,
    run: &RunHandle<impl Workflow<Output = u32, Error = String>>,
) {
    // Only this client loses the database; the worker does not.
    let store = office.rig.store.connect();
    let client = Client::new(store.clone());
    let go_away = || store.set_hook(Away::for_a_restart());
    let failed = office.token(1).await;
    go_away();
    client.heartbeat_activity(failed, "half").await.unwrap();
    // Without a queue, the report goes into the inbox, and its response may be lost.
    for happens in [false, true] {
        store.set_hook(Failing::new("deliver", 3, happens));
        client.heartbeat_activity(failed, "half").await.unwrap();
    }
    go_away();
    client.fail_activity::<A>(failed, Refused::Busy).retryable().await.unwrap();
    let token = office.token(2).await;
    go_away();
    let stale = client.heartbeat_activity(failed, "all").await.unwrap_err();
    assert!(matches!(stale, TokenError::Stale { attempt: 1 }), "{stale}");
    go_away();
    client.complete_activity::<A>(token, Ok(7)).await.unwrap();
    assert_eq!(run.result().await.unwrap(), 7);
    go_away();
    let closed = client.heartbeat_activity(token, "all").await.unwrap_err();
    assert!(matches!(closed, TokenError::Closed { .. }), "{closed}");
}

#[tokio::test(start_paused = true)]
async fn uses_of_tokens_wait_while_the_database_is_away() {
    let office = office().await;
    let run = office.rig.client.start(signature(text("later"))).await.unwrap();
    use_tokens_while_the_database_is_away::<sign>(&office, &run).await;
    office.mailbox.0.lock().unwrap().clear();
    let run = office.rig.client.start(signature_here()).await.unwrap();
    use_tokens_while_the_database_is_away::<sign_here>(&office, &run).await;
    office.worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn an_attempt_that_is_being_made_can_be_completed() {
    let office = office().await;
    let run = office.rig.client.start(signature(text("waits itself"))).await.unwrap();
    let token = office.token(1).await;
    office.rig.client.complete_activity::<sign>(token, Ok(7)).await.unwrap();
    assert_eq!(run.result().await.unwrap(), 7);
    let began = Instant::now();
    office.worker.shutdown().await.unwrap();
    assert!(began.elapsed() < Duration::from_secs(1), "the function was told to stop");
}

#[tokio::test(start_paused = true)]
async fn using_a_token_again_does_nothing() {
    let office = office().await;
    let client = &office.rig.client;
    let run = client.start(signature(text("later"))).await.unwrap();
    let token = office.token(1).await;
    client.complete_activity::<sign>(token, Ok(7)).await.unwrap();
    client.complete_activity::<sign>(token, Ok(8)).await.unwrap();
    assert_eq!(run.result().await.unwrap(), 7);
    client.fail_activity::<sign>(token, Refused::Busy).retryable().await.unwrap();
    office.worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn an_attempt_that_is_failed_from_outside_is_tried_again() {
    let office = office().await;
    let client = &office.rig.client;
    let run = client.start(signature(text("later"))).await.unwrap();
    let began = Instant::now();
    let first = office.token(1).await;
    client.fail_activity::<sign>(first, Refused::Busy).retryable().await.unwrap();
    client.fail_activity::<sign>(first, Refused::Busy).retryable().await.unwrap();
    let second = office.token(2).await;
    assert!((1.0..1.1).contains(&began.elapsed().as_secs_f64()), "as the policy says");
    assert_ne!(first, second);
    client.fail_activity_json(second, &json!(false)).retryable().await.unwrap();
    let third = office.token(3).await;
    client.fail_activity::<sign>(third, Refused::Busy).retryable().await.unwrap();
    let error = run.result().await.unwrap_err();
    assert!(matches!(&error, RunError::Failed(text) if text == "busy"), "{error:?}");
    assert_eq!(office.rig.lab.begun("later"), [1, 2, 3]);
    office.worker.shutdown().await.unwrap();
}

/// Whatever the retry policy says.
#[tokio::test(start_paused = true)]
async fn an_error_from_outside_ends_the_activity() {
    let office = office().await;
    let client = &office.rig.client;
    for number in 0..5 {
        office.mailbox.0.lock().unwrap().clear();
        let run_id = match number {
            0..3 => client.start(signature(text("later"))).await.unwrap().run_id(),
            _ => client.start(signature_here()).await.unwrap().run_id(),
        };
        let token = office.token(1).await;
        match number {
            0 => client.fail_activity::<sign>(token, Refused::Busy).await.unwrap(),
            1 => client.complete_activity::<sign>(token, Err(Refused::Busy)).await.unwrap(),
            3 => client.fail_activity::<sign_here>(token, Refused::Busy).await.unwrap(),
            _ => client.fail_activity_json(token, &json!(false)).await.unwrap(),
        }
        let error = client.by_id(run_id).result().await.unwrap_err().to_string();
        assert!(error.contains("busy"), "{error}");
        assert_eq!(office.mailbox.0.lock().unwrap().len(), 1, "there was one attempt");
    }
    office.worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn an_error_that_is_final_is_so_from_outside_too() {
    let office = office().await;
    let run = office.rig.client.start(signature(text("later"))).await.unwrap();
    let token = office.token(1).await;
    office.rig.client.fail_activity::<sign>(token, Refused::Final).retryable().await.unwrap();
    assert_eq!(run.result().await.unwrap_err().to_string(), "no");
    assert_eq!(office.rig.lab.begun("later"), [1]);
    office.worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn stale_tokens_are_refused_with_the_reason() {
    let office = office().await;
    let client = &office.rig.client;
    let run = client.start(signature(text("later"))).await.unwrap();
    let first = office.token(1).await;
    client.fail_activity::<sign>(first, Refused::Busy).retryable().await.unwrap();
    let second = office.token(2).await;
    let error = client.heartbeat_activity(first, &()).await.unwrap_err();
    assert!(matches!(error, TokenError::Stale { attempt: 1 }), "{error}");
    run.terminate("enough").await.unwrap();
    let error = client.complete_activity::<sign>(second, Ok(1)).await.unwrap_err();
    assert!(matches!(error, TokenError::Closed { run_id } if run_id == run.run_id()), "{error}");
    let elsewhere = Client::new(piton::store::MemoryStore::new());
    let error = elsewhere.complete_activity::<sign>(second, Ok(1)).await.unwrap_err();
    assert!(matches!(error, TokenError::Unknown { .. }), "{error}");
    office.worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_token_is_for_its_activity_only() {
    let office = office().await;
    let client = &office.rig.client;
    let run = client.start(signature(text("later"))).await.unwrap();
    let token = office.token(1).await;
    let error = client.complete_activity::<homebound>(token, 1).await.unwrap_err();
    assert!(error.to_string().contains("`sign`, not to `homebound`"), "{error}");
    client.complete_activity::<sign>(token, Ok(1)).await.unwrap();
    assert_eq!(run.result().await.unwrap(), 1);
    office.worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn the_limits_of_an_attempt_apply_without_its_function() {
    let office = office().await;
    let run = office.rig.client.start(signature(text("later"))).await.unwrap();
    let began = Instant::now();
    let first = office.token(1).await;
    sleep(Duration::from_secs(3_590)).await;
    let second = office.token(2).await;
    let hour = began.elapsed().as_secs_f64();
    assert!((3_600.0..3_604.0).contains(&hour), "the sweep ends it after an hour: {hour}");
    let error = office.rig.client.complete_activity::<sign>(first, Ok(1)).await.unwrap_err();
    assert!(matches!(error, TokenError::Stale { .. }), "{error}");
    office.rig.client.complete_activity::<sign>(second, Ok(2)).await.unwrap();
    assert_eq!(run.result().await.unwrap(), 2);
    office.worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn signs_of_life_with_a_token_count() {
    let office = office().await;
    let run = office.rig.client.start(silent_signature()).await.unwrap();
    let token = office.token(1).await;
    for _ in 0..6 {
        sleep(Duration::from_secs(7)).await;
        office.rig.client.heartbeat_activity(token, "still at it").await.unwrap();
    }
    office.rig.client.complete_activity::<sign>(token, Ok(7)).await.unwrap();
    assert_eq!(run.result().await.unwrap(), 7);
    assert_eq!(office.rig.lab.begun("silent"), [1]);
    office.worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn an_attempt_that_awaits_its_token_does_not_end_with_its_worker() {
    let office = office().await;
    let run = office.rig.client.start(signature(text("later"))).await.unwrap();
    let token = office.token(1).await;
    sleep(Duration::from_secs(1)).await;
    office.worker.shutdown().await.unwrap();
    let worker = office.rig.worker().provide(office.mailbox.clone()).queue("mail");
    let worker = worker.start().await.unwrap();
    sleep(Duration::from_secs(100)).await;
    office.rig.client.complete_activity::<sign>(token, Ok(7)).await.unwrap();
    assert_eq!(run.result().await.unwrap(), 7);
    assert_eq!(office.rig.lab.begun("later"), [1]);
    worker.shutdown().await.unwrap();
}
