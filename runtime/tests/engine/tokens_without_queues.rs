//! Tokens of activities without a queue: reports go through the run's inbox.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use piton::client::inspect::WaitFor;
use piton::error::{KeyError, RunError, SignalError};
use piton::model::Handle;
use piton::prelude::*;
use piton::store::ActivityKey;
use piton::store::memory::Hook;
use serde_json::json;
use tokio::time::{Instant, sleep};

use crate::activities::{Lab, echo, perform};
use crate::rig::Rig;

#[derive(Clone, Default)]
struct Mailbox(Arc<Mutex<Vec<ActivityToken>>>);

impl Mailbox {
    fn count(&self) -> usize {
        self.0.lock().unwrap().len()
    }
}

/// Publishes its token, and returns the details of the previous attempt.
#[activity(retry(initial = "1s", jitter = 0.0, max_attempts = 3))]
async fn ask(cx: &ActivityContext, how: &str) -> Result<String, String> {
    cx.dependency::<Lab>().begin(cx, how);
    cx.dependency::<Mailbox>().0.lock().unwrap().push(cx.token());
    if let Some(said) = cx.last_heartbeat::<String>() {
        return Ok(said);
    }
    if how == "waits itself" {
        sleep(Duration::from_secs(600)).await;
    }
    cx.complete_later().await
}

#[workflow]
async fn question(how: String) -> Result<String, String> {
    ask(&how).start_to_close(hours(1)).await.map_err(|error| error.to_string())
}

#[workflow]
async fn urgent_question(how: String) -> Result<String, String> {
    ask(&how).heartbeat(seconds(9)).await.map_err(|error| error.to_string())
}

#[workflow(durability = "relaxed")]
async fn relaxed_questions(count: u32) -> Result<u32, String> {
    let mut answered = 0;
    for number in 0..count {
        ask(&number.to_string()).await.map_err(|error| error.to_string())?;
        answered += 1;
    }
    Ok(answered)
}

/// One question waits for its token while the other continues.
#[workflow]
async fn two_questions() -> Vec<String> {
    let asked = ["one", "two"].map(|how| ask(how));
    join_all(asked).await.into_iter().map(|answer| answer.unwrap_or_default()).collect()
}

#[tokio::test(start_paused = true)]
async fn a_run_shows_the_token_that_it_waits_for_and_is_failed_by_hand() {
    let Office { rig, mailbox } = office();
    let worker = rig.worker().provide(mailbox.clone()).start().await.unwrap();
    let run = rig.client.start(question("later".to_owned())).await.unwrap();
    rig.until(&run, |record| record.owner.is_none() && record.state == "ask").await;
    let shown = rig.client.inspect(run.run_id()).await.unwrap();
    let [wait] = &shown.position.as_ref().unwrap().waits[..] else { panic!("{shown:?}") };
    let WaitFor::Activity(activity) = &wait.on else { panic!("{wait:?}") };
    assert_eq!((activity.token, activity.attempt), (Some(mailbox.0.lock().unwrap()[0]), 1));
    assert!(activity.expires_at.is_some());
    let edit = rig.client.edit(run.run_id()).fail("ask", "nobody knows");
    edit.by("ann").because("ticket 311").await.unwrap();
    let error = run.result().await.unwrap_err().to_string();
    assert!(error.ends_with("nobody knows") && !error.contains("panicked"), "{error}");
    worker.shutdown().await.unwrap();
}

/// A signal that no workflow awaits.
#[derive(Signal, serde::Serialize, serde::Deserialize)]
struct Remark;

struct Office {
    rig: Rig,
    mailbox: Mailbox,
}

fn office() -> Office {
    Office { rig: Rig::new(), mailbox: Mailbox::default() }
}

impl Office {
    /// A worker as in another process.
    async fn worker(&self) -> RunningWorker {
        self.rig.remote_worker().provide(self.mailbox.clone()).start().await.unwrap()
    }

    /// Waits for this many tokens and returns the last.
    async fn token(&self, count: usize) -> ActivityToken {
        self.rig.until_true(|| self.mailbox.count() == count).await;
        self.mailbox.0.lock().unwrap()[count - 1]
    }
}

/// A token that no attempt has: with another handle or another attempt number.
fn forged(token: ActivityToken, handle: Option<u64>, attempt: u32) -> ActivityToken {
    let text = token.to_string();
    let parts: Vec<&str> = text.split('-').collect();
    let handle = handle.map_or_else(|| parts[2].to_owned(), |handle| handle.to_string());
    format!("{}-{}-{handle}-{attempt}", parts[0], parts[1]).parse().unwrap()
}

fn text(name: &str) -> String {
    name.to_owned()
}

#[tokio::test(start_paused = true)]
async fn an_activity_is_completed_by_another_process_after_its_worker_has_died() {
    let office = office();
    let doomed = office.worker().await;
    let client = &office.rig.client;
    let run = client.start(question(text("x"))).await.unwrap();
    let token = office.token(1).await;
    office.rig.until_parked(&run).await;
    drop(doomed);
    sleep(Duration::from_secs(100)).await;
    // No worker makes the attempt, whether the run was taken over or not.
    let worker = office.worker().await;
    sleep(Duration::from_secs(100)).await;
    client.complete_activity::<ask>(token, Ok(text("yes"))).await.unwrap();
    assert_eq!(run.result().await.unwrap(), "yes");
    assert_eq!(office.rig.lab.begun("x"), [1]);
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_worker_that_is_shut_down_leaves_the_attempt_as_it_is() {
    let office = office();
    let first = office.worker().await;
    let client = &office.rig.client;
    let run = client.start(question(text("x"))).await.unwrap();
    let token = office.token(1).await;
    first.shutdown().await.unwrap();
    let second = office.worker().await;
    sleep(Duration::from_secs(100)).await;
    client.complete_activity::<ask>(token, Ok(text("yes"))).await.unwrap();
    assert_eq!(run.result().await.unwrap(), "yes");
    assert_eq!(office.rig.lab.begun("x"), [1]);
    second.shutdown().await.unwrap();
}

/// A program may use any text as a dedup key, even the one that the database uses for the token.
#[tokio::test(start_paused = true)]
async fn no_dedup_key_of_a_program_is_taken_for_a_token() {
    let office = office();
    let worker = office.worker().await;
    let client = &office.rig.client;
    let run = client.start(question(text("x"))).await.unwrap();
    let token = office.token(1).await;
    let attempt = ActivityKey { run_id: run.run_id(), handle: Handle(0) };
    for key in [text("activity/0/1"), text("piton"), text("Piton:"), text(" piton:")] {
        let sent = client.signal_json(run.run_id(), "Remark", &json!(null)).unchecked();
        sent.dedup_key(key).await.unwrap();
    }
    for key in [text("piton:"), attempt.token_key(1)] {
        let refused = run.signal(Remark).dedup_key(&key).await.unwrap_err();
        assert!(matches!(refused, SignalError::DedupKey(KeyError::Reserved)), "{refused}");
        let sent = client.signal_or_start(Remark, question(text("y"))).id("y").dedup_key(&key);
        let refused = sent.await.map(|_| ()).unwrap_err();
        let expected = SignalError::DedupKey(KeyError::Reserved).to_string();
        assert_eq!(refused.to_string(), expected);
        // Workflow ids are separate from dedup keys.
        client.start(question(key.clone())).id(key).await.unwrap();
    }
    client.complete_activity::<ask>(token, Ok(text("yes"))).await.unwrap();
    assert_eq!(run.result().await.unwrap(), "yes");
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_running_function_is_cancelled() {
    let office = office();
    let worker = office.worker().await;
    let run = office.rig.client.start(question(text("waits itself"))).await.unwrap();
    let token = office.token(1).await;
    office.rig.client.complete_activity::<ask>(token, Ok(text("yes"))).await.unwrap();
    assert_eq!(run.result().await.unwrap(), "yes");
    let began = Instant::now();
    worker.shutdown().await.unwrap();
    assert!(began.elapsed() < Duration::from_secs(1));
}

#[tokio::test(start_paused = true)]
async fn the_retry_policy_holds_and_stale_tokens_are_refused() {
    let office = office();
    let worker = office.worker().await;
    let client = &office.rig.client;
    let run = client.start(question(text("x"))).await.unwrap();
    let began = Instant::now();
    let first = office.token(1).await;
    client.fail_activity::<ask>(first, text("busy")).retryable().await.unwrap();
    client.fail_activity::<ask>(first, text("busy")).retryable().await.unwrap();
    let second = office.token(2).await;
    assert!((1.0..1.1).contains(&began.elapsed().as_secs_f64()), "as the policy says");
    let error = client.heartbeat_activity(first, &()).await.unwrap_err();
    assert!(matches!(error, TokenError::Stale { attempt: 1 }), "{error}");
    let early = forged(second, None, 7);
    let error = client.complete_activity::<ask>(early, Ok(text("no"))).await.unwrap_err();
    assert!(matches!(error, TokenError::Stale { attempt: 7 }), "{error}");
    client.fail_activity_json(second, &json!("busy")).retryable().await.unwrap();
    let third = office.token(3).await;
    client.fail_activity_json(third, &json!("busy to the end")).retryable().await.unwrap();
    let error = run.result().await.unwrap_err();
    assert!(matches!(&error, RunError::Failed(text) if text == "busy to the end"), "{error:?}");
    // Repeating a completion is no error; a token that was never used is one.
    client.fail_activity::<ask>(third, text("busy")).retryable().await.unwrap();
    let error = client.complete_activity::<ask>(early, Ok(text("no"))).await.unwrap_err();
    assert!(matches!(error, TokenError::Closed { run_id } if run_id == run.run_id()), "{error}");
    assert_eq!(office.rig.lab.begun("x"), [1, 2, 3]);
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_token_that_was_used_is_late_for_others_of_the_run() {
    let office = office();
    let worker = office.worker().await;
    let client = &office.rig.client;
    let run = client.start(two_questions()).await.unwrap();
    let second = office.token(2).await;
    client.complete_activity::<ask>(second, Ok(text("two"))).await.unwrap();
    client.complete_activity::<ask>(second, Ok(text("three"))).await.unwrap();
    let other = forged(second, Some(7), 1);
    let refused = tokio::time::timeout(
        Duration::from_secs(60),
        client.complete_activity::<ask>(other, Ok(text("no"))),
    );
    let error = refused.await.expect("it is not waited for for ever").unwrap_err();
    assert!(matches!(error, TokenError::Stale { .. }), "{error}");
    let first = office.mailbox.0.lock().unwrap()[0];
    client.complete_activity_json(first, &json!({ "Ok": "one" })).await.unwrap();
    assert_eq!(run.result().await.unwrap(), ["one", "two"]);
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_token_is_for_its_activity_only() {
    let office = office();
    let worker = office.worker().await;
    let client = &office.rig.client;
    let run = client.start(question(text("x"))).await.unwrap();
    let token = office.token(1).await;
    let error = client.complete_activity::<crate::activities::add>(token, 1).await.unwrap_err();
    assert!(error.to_string().contains("`ask`, not to `add`"), "{error}");
    client.complete_activity_json(token, &json!({ "Ok": "yes" })).await.unwrap();
    assert_eq!(run.result().await.unwrap(), "yes");
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn json_that_does_not_fit_is_refused() {
    let office = office();
    let worker = office.worker().await;
    let run = office.rig.client.start(question(text("x"))).await.unwrap();
    let token = office.token(1).await;
    let client = &office.rig.client;
    let refused = |error: TokenError, expected: &str| {
        let expected =
            format!("the value does not fit what the activity `ask` returns: it is no {expected}");
        assert_eq!(error.to_string(), expected);
    };
    let of_result = "`Result<String, String>`: expected one of `Ok`, `Err`, found integer `7`";
    refused(client.complete_activity_json(token, &json!(7)).await.unwrap_err(), of_result);
    let wrong = json!({ "Ok": 7 });
    let of_value = "`Result<String, String>`: `Ok`: expected a text, found integer `7`";
    refused(client.complete_activity_json(token, &wrong).await.unwrap_err(), of_value);
    let of_error = "`Result<String, String>`: `Err`: expected a text, found integer `7`";
    refused(client.fail_activity_json(token, &json!(7)).await.unwrap_err(), of_error);
    // The token is still good.
    client.complete_activity_json(token, &json!({ "Ok": "yes" })).await.unwrap();
    assert_eq!(run.result().await.unwrap(), "yes");
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn limits_apply_without_the_function_and_its_worker() {
    let office = office();
    let worker = office.worker().await;
    let run = office.rig.client.start(question(text("x"))).await.unwrap();
    let began = Instant::now();
    let first = office.token(1).await;
    office.rig.until_parked(&run).await;
    drop(worker);
    let worker = office.worker().await;
    sleep(Duration::from_secs(3_590)).await;
    assert_eq!(office.rig.lab.begun("x"), [1]);
    let second = office.token(2).await;
    let seconds = began.elapsed().as_secs_f64();
    assert!((3_601.0..3_604.0).contains(&seconds), "an hour and the wait: {seconds}");
    let error = office.rig.client.complete_activity::<ask>(first, Ok(text("late"))).await;
    assert!(matches!(error, Err(TokenError::Stale { attempt: 1 })), "{error:?}");
    office.rig.client.complete_activity::<ask>(second, Ok(text("yes"))).await.unwrap();
    assert_eq!(run.result().await.unwrap(), "yes");
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn signs_of_life_with_a_token_count_and_are_handed_on() {
    let office = office();
    let worker = office.worker().await;
    let run = office.rig.client.start(urgent_question(text("x"))).await.unwrap();
    let token = office.token(1).await;
    for _ in 0..6 {
        sleep(Duration::from_secs(7)).await;
        office.rig.client.heartbeat_activity(token, "still at it").await.unwrap();
    }
    assert_eq!(office.rig.lab.begun("x"), [1]);
    // Then its heartbeats stop, and the next attempt gets the details.
    assert_eq!(run.result().await.unwrap(), "still at it");
    assert_eq!(office.rig.lab.begun("x"), [1, 2]);
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_failure_keeps_the_details_that_came_before_it_while_no_worker_was_there() {
    let office = office();
    let worker = office.worker().await;
    let client = &office.rig.client;
    let run = client.start(question(text("x"))).await.unwrap();
    let token = office.token(1).await;
    worker.shutdown().await.unwrap();
    client.heartbeat_activity(token, "half of it").await.unwrap();
    client.fail_activity::<ask>(token, text("busy")).retryable().await.unwrap();
    let worker = office.worker().await;
    assert_eq!(run.result().await.unwrap(), "half of it");
    assert_eq!(office.rig.lab.begun("x"), [1, 2]);
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn tokens_of_relaxed_runs_may_be_used_at_once() {
    let office = office();
    let worker = office.worker().await;
    let run = office.rig.client.start(relaxed_questions(20)).await.unwrap();
    for count in 1..=20 {
        let token = office.token(count).await;
        office.rig.client.complete_activity::<ask>(token, Ok(text("yes"))).await.unwrap();
    }
    assert_eq!(run.result().await.unwrap(), 20);
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_run_that_gives_the_call_up_wants_no_answer() {
    let office = office();
    let worker = office.worker().await;
    let run = office.rig.client.start(question(text("x"))).await.unwrap();
    let token = office.token(1).await;
    run.terminate("enough").await.unwrap();
    let error = office.rig.client.complete_activity::<ask>(token, Ok(text("yes"))).await;
    assert!(matches!(error, Err(TokenError::Closed { .. })), "{error:?}");
    worker.shutdown().await.unwrap();
}

/// Gets no notifications of other processes for a while.
struct Distracted(AtomicBool);

impl Hook for Distracted {
    fn news_delay(&self) -> Option<Duration> {
        (!self.0.load(Ordering::SeqCst)).then_some(Duration::ZERO)
    }
}

/// A worker that counts as dead, but is alive, also learns of the end of the attempt.
#[tokio::test(start_paused = true)]
async fn two_workers_use_two_attempt_numbers() {
    let office = office();
    let run = office.rig.client.start(urgent_question(text("later"))).await.unwrap();
    let connection = office.rig.store.connect();
    let hook = Arc::new(Distracted(AtomicBool::new(true)));
    connection.set_hook(hook.clone());
    let fenced = Worker::new(&Client::new(connection.clone()));
    let fenced = fenced.provide(office.rig.lab.clone()).provide(office.mailbox.clone());
    let fenced = fenced.start().await.unwrap();
    office.rig.until_true(|| office.mailbox.count() == 1).await;
    sleep(Duration::from_millis(10)).await;
    let owner = run.status().await.unwrap().owner;
    connection.disconnect();
    let successor = office.worker().await;
    office.rig.until(&run, |run| run.owner.is_some() && run.owner != owner).await;
    hook.0.store(false, Ordering::SeqCst);
    let token = office.mailbox.0.lock().unwrap()[0];
    office.rig.client.fail_activity::<ask>(token, "busy".to_owned()).retryable().await.unwrap();
    office.rig.until_true(|| office.mailbox.count() == 3).await;
    assert_eq!(office.rig.lab.begun("later"), [1, 2, 3]);
    run.terminate("enough").await.unwrap();
    fenced.shutdown().await.unwrap();
    successor.shutdown().await.unwrap();
}

/// The state that requests both may not be written yet when one fails and the other waits for its token.
#[workflow(durability = "relaxed")]
async fn relaxed_pair() -> Result<String, String> {
    echo("first").await;
    let (performed, answered) = join!(perform("flaky"), ask("later").start_to_close(hours(1)));
    Ok(performed.map_err(|error| error.to_string())?
        + &answered.map_err(|error| error.to_string())?)
}

/// Delays each commit.
struct SlowCommits;

#[async_trait::async_trait]
impl Hook for SlowCommits {
    async fn before(&self, operation: &'static str) -> Result<(), piton::error::StoreError> {
        if operation == "commit_steps" {
            sleep(Duration::from_millis(100)).await;
        }
        Ok(())
    }
}

#[tokio::test(start_paused = true)]
async fn progress_during_a_commit_is_saved() {
    let (rig, mailbox) = (Rig::new(), Mailbox::default());
    rig.store.set_hook(Arc::new(SlowCommits));
    rig.lab.fail("flaky", 1);
    let worker = || rig.worker().provide(mailbox.clone()).start();
    let first = worker().await.unwrap();
    let run = rig.client.start(relaxed_pair()).await.unwrap();
    rig.until_begun("later", &[1]).await;
    sleep(Duration::from_millis(500)).await;
    first.shutdown().await.unwrap();
    let second = worker().await.unwrap();
    rig.until_begun("flaky", &[1, 2]).await;
    assert_eq!(rig.lab.begun("later"), [1]);
    let token = mailbox.0.lock().unwrap()[0];
    rig.client.complete_activity::<ask>(token, Ok(" and answered".to_owned())).await.unwrap();
    assert_eq!(run.result().await.unwrap(), "flaky done and answered");
    second.shutdown().await.unwrap();
}
