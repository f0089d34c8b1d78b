//! Calls on queues that have failed for good.

use std::time::Duration;

use piton::client::FailedCall;
use piton::prelude::*;
use piton::worker::Retention;

use crate::activities::*;
use crate::queues::text;
use crate::rig::Rig;

#[activity(queue = "mail", key = "{to}", retry(initial = "1s", jitter = 0.0, max_attempts = 2))]
async fn post_mail(cx: &ActivityContext, to: &str) -> Result<String, String> {
    perform::call(cx, to).await
}

#[activity(queue = "mail", retry(initial = "1s", jitter = 0.0, max_attempts = 2))]
async fn print_mail(cx: &ActivityContext, to: &str, copies: u32) -> Result<String, String> {
    perform::call(cx, to).await.map(|done| format!("{copies} times {done}"))
}

#[activity(queue = "mail", at_most_once)]
async fn post_once(cx: &ActivityContext, to: &str) -> Result<String, String> {
    perform::call(cx, to).await
}

#[activity(queue = "mail", start_to_close = "5s", retry(max_attempts = 1))]
async fn post_slowly(cx: &ActivityContext) -> Result<String, String> {
    perform::call(cx, "hang").await
}

#[workflow]
async fn post(to: String) -> Result<String, String> {
    post_mail(&to).await.map_err(|error| error.to_string())
}

#[workflow]
async fn print(to: String) -> Result<String, String> {
    print_mail(&to, 3).await.map_err(|error| error.to_string())
}

#[workflow]
async fn post_at_most_once(to: String) -> Result<String, String> {
    post_once(&to).await.map_err(|error| error.to_string())
}

#[workflow]
async fn post_in_vain() -> Result<String, String> {
    post_slowly().await.map_err(|error| error.to_string())
}

async fn failed(rig: &Rig) -> Vec<FailedCall> {
    rig.client.queue("mail").failed(None, 10).await.unwrap()
}

async fn the_one(rig: &Rig) -> FailedCall {
    let mut calls = failed(rig).await;
    assert_eq!(calls.len(), 1, "{calls:?}");
    calls.remove(0)
}

#[tokio::test(start_paused = true)]
async fn a_failed_call_is_listed_and_redriven_with_new_attempts() {
    let rig = Rig::new();
    let worker = rig.worker().queue("mail").start().await.unwrap();
    rig.lab.fail("ada", 3);
    let run = rig.client.start(print(text("ada"))).await.unwrap();
    run.result().await.unwrap_err();
    let call = the_one(&rig).await;
    assert_eq!((call.activity.as_str(), &call.key, call.attempts), ("print_mail", &None, 2));
    assert_eq!((call.run_id, call.failure.as_str()), (Some(run.run_id()), "ada failed"));
    assert_eq!(call.workflow_id, run.run_id().to_string());
    let arguments = rig.client.payload_json(&call.arguments).await.unwrap();
    assert_eq!(arguments, serde_json::json!(["ada", 3]));

    let mail = rig.client.queue("mail");
    assert_eq!(mail.redrive(&[call.id]).await.unwrap(), 1);
    // The first of the new attempts fails, and the policy allows another.
    rig.until_begun("ada", &[1, 2, 3, 4]).await;
    assert_eq!(mail.redrive(&[call.id]).await.unwrap(), 0);
    while mail.status().await.unwrap().under_way > 0 {
        tokio::task::yield_now().await;
    }
    assert_eq!(failed(&rig).await, []);
    run.result().await.unwrap_err();
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_redriven_item_has_its_outcome_under_its_key() {
    let rig = Rig::new();
    let worker = rig.worker().queue("mail").start().await.unwrap();
    rig.lab.fail("ada", 2);
    let first = rig.client.start(post(text("ada"))).await.unwrap();
    first.result().await.unwrap_err();
    let call = the_one(&rig).await;
    assert_eq!((call.key.as_deref(), call.run_id), (Some("ada"), None));
    let again = rig.client.start(post(text("ada"))).await.unwrap();
    again.result().await.unwrap_err();
    assert_eq!(rig.client.queue("mail").redrive_all().await.unwrap(), 1);
    rig.until_begun("ada", &[1, 2, 3]).await;
    let later = rig.client.start(post(text("ada"))).await.unwrap();
    assert_eq!(later.result().await.unwrap(), "ada done");
    assert_eq!(rig.lab.begun("ada"), [1, 2, 3]);
    assert_eq!(failed(&rig).await, []);
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_call_that_fails_again_is_listed_under_a_new_id() {
    let rig = Rig::new();
    let worker = rig.worker().queue("mail").start().await.unwrap();
    rig.lab.fail("ada", 4);
    let run = rig.client.start(post(text("ada"))).await.unwrap();
    run.result().await.unwrap_err();
    let first = the_one(&rig).await;
    let mail = rig.client.queue("mail");
    assert_eq!(mail.redrive_all().await.unwrap(), 1);
    rig.until_begun("ada", &[1, 2, 3, 4]).await;
    let second = loop {
        match failed(&rig).await.pop() {
            Some(call) => break call,
            None => tokio::task::yield_now().await,
        }
    };
    assert!(second.id > first.id);
    assert_eq!((second.key.as_deref(), second.attempts), (Some("ada"), 4));
    assert_eq!(mail.discard(&[first.id, second.id]).await.unwrap(), 1);
    assert_eq!((failed(&rig).await, mail.redrive_all().await.unwrap()), (vec![], 0));
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_call_that_is_made_at_most_once_can_be_redriven() {
    let rig = Rig::new();
    let worker = rig.worker().queue("mail").start().await.unwrap();
    rig.lab.fail("ada", 1);
    let run = rig.client.start(post_at_most_once(text("ada"))).await.unwrap();
    run.result().await.unwrap_err();
    assert_eq!(rig.client.queue("mail").redrive_all().await.unwrap(), 1);
    rig.until_begun("ada", &[1, 2]).await;
    worker.shutdown().await.unwrap();
    assert_eq!(failed(&rig).await, []);
}

#[tokio::test(start_paused = true)]
async fn a_call_that_took_too_long_is_listed_until_it_is_old() {
    let rig = Rig::new();
    let worker = rig.patient_worker().queue("mail").start().await.unwrap();
    let run = rig.client.start(post_in_vain()).await.unwrap();
    run.result().await.unwrap_err();
    assert_eq!(the_one(&rig).await.attempts, 1);
    tokio::time::sleep(days(7) - minutes(5)).await;
    assert_eq!(failed(&rig).await.len(), 1);
    tokio::time::sleep(minutes(10)).await;
    assert_eq!(failed(&rig).await, []);
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_worker_may_keep_failed_calls_for_another_time() {
    let rig = Rig::new();
    let hour = Retention::new().failed_calls(hours(1));
    let worker = rig.patient_worker().queue("mail").retention(hour).start().await.unwrap();
    let run = rig.client.start(post_in_vain()).await.unwrap();
    run.result().await.unwrap_err();
    tokio::time::sleep(Duration::from_secs(3_500)).await;
    assert_eq!(failed(&rig).await.len(), 1);
    tokio::time::sleep(Duration::from_secs(200)).await;
    assert_eq!(failed(&rig).await, []);
    worker.shutdown().await.unwrap();
}
