//! Activities on queues that have a key.

use piton::client::inspect::WaitFor;
use piton::error::RunError;
use piton::model::RunStatus;
use piton::prelude::*;

use crate::activities::*;
use crate::queues::text;
use crate::rig::Rig;

#[activity(
    queue = "mail",
    key = "{to}:{subject}",
    key_retention = "1h",
    retry(initial = "1s", jitter = 0.0, max_attempts = 2)
)]
async fn send_mail(cx: &ActivityContext, to: &str, subject: String) -> Result<String, String> {
    perform::call(cx, to).await.map(|sent| format!("{sent}: {subject}"))
}

#[workflow]
async fn notify_by_mail(to: String, subject: String) -> Result<String, String> {
    send_mail(&to, subject).await.map_err(|error| error.to_string())
}

#[workflow]
async fn notify_twice(to: String) -> (String, String) {
    let (one, two) = join!(send_mail(&to, "hello".to_owned()), send_mail(&to, "hello".to_owned()));
    (one.unwrap_or_default(), two.unwrap_or_default())
}

#[workflow]
async fn notify_or_give_up(cx: &Context, to: String) -> String {
    select! {
        sent = send_mail(&to, "hello".to_owned()) => sent.unwrap_or_default(),
        _ = cx.sleep(seconds(5)) => "gave up".to_owned(),
    }
}

/// Calls and drops the call before the commit.
#[workflow]
async fn fickle_notify(cx: &Context, to: String) -> String {
    select! {
        biased;
        _ = cx.sleep(std::time::Duration::ZERO) => "at once".to_owned(),
        sent = send_mail(&to, "hello".to_owned()) => sent.unwrap_or_default(),
    }
}

#[workflow]
async fn notify_by_call(what: String, key: String) -> Result<String, String> {
    perform(&what).queue("mail").key(key).await.map_err(|error| error.to_string())
}

#[workflow]
async fn notify_most(cx: &Context, to: Vec<String>) -> usize {
    let sent = cx.map(to, |to| send_mail(&to, "hello".to_owned())).concurrency(2).tolerate(1).await;
    sent.map(|sent| sent.iter().filter(|sent| sent.is_ok()).count()).unwrap_or_default()
}

#[tokio::test(start_paused = true)]
async fn a_second_offer_gets_the_outcome_of_the_first() {
    let rig = Rig::new();
    let owner = rig.worker().start().await.unwrap();
    let first = rig.client.start(notify_by_mail(text("ada"), text("hello"))).await.unwrap();
    let second = rig.client.start(notify_by_mail(text("ada"), text("hello"))).await.unwrap();
    rig.until_parked(&first).await;
    rig.until_parked(&second).await;
    let server = rig.server("mail").start().await.unwrap();
    assert_eq!(first.result().await.unwrap(), "ada done: hello");
    assert_eq!(second.result().await.unwrap(), "ada done: hello");
    // The key is still kept, and a call with another key is a new item.
    let third = rig.client.start(notify_by_mail(text("ada"), text("hello"))).await.unwrap();
    assert_eq!(third.result().await.unwrap(), "ada done: hello");
    assert_eq!(rig.lab.begun("ada"), [1]);
    let other = rig.client.start(notify_by_mail(text("ada"), text("bye"))).await.unwrap();
    assert_eq!(other.result().await.unwrap(), "ada done: bye");
    assert_eq!(rig.lab.begun("ada"), [1, 1]);
    owner.shutdown().await.unwrap();
    server.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_key_is_free_again_after_its_retention() {
    let rig = Rig::new();
    let worker = rig.worker().queue("mail").start().await.unwrap();
    let first = rig.client.start(notify_by_mail(text("ada"), text("hello"))).await.unwrap();
    first.result().await.unwrap();
    tokio::time::sleep(std::time::Duration::from_secs(3_610)).await;
    let second = rig.client.start(notify_by_mail(text("ada"), text("hello"))).await.unwrap();
    assert_eq!(second.result().await.unwrap(), "ada done: hello");
    assert_eq!(rig.lab.begun("ada"), [1, 1]);
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_run_may_offer_a_key_twice() {
    let rig = Rig::new();
    let worker = rig.worker().queue("mail").start().await.unwrap();
    let run = rig.client.start(notify_twice(text("ada"))).await.unwrap();
    let sent = text("ada done: hello");
    assert_eq!(run.result().await.unwrap(), (sent.clone(), sent));
    assert_eq!(rig.lab.begun("ada"), [1]);
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn an_item_is_tried_again_and_its_failure_goes_to_all() {
    let rig = Rig::new();
    let worker = rig.worker().queue("mail").start().await.unwrap();
    rig.lab.fail("ada", 1);
    rig.lab.fail("bob", 2);
    let ada = rig.client.start(notify_by_mail(text("ada"), text("hello"))).await.unwrap();
    assert_eq!(ada.result().await.unwrap(), "ada done: hello");
    assert_eq!(rig.lab.begun("ada"), [1, 2]);
    let first = rig.client.start(notify_by_mail(text("bob"), text("hello"))).await.unwrap();
    let second = rig.client.start(notify_by_mail(text("bob"), text("hello"))).await.unwrap();
    for run in [first, second] {
        let error = run.result().await.unwrap_err();
        assert!(matches!(error, RunError::Failed { .. }), "{error:?}");
    }
    assert_eq!(rig.lab.begun("bob"), [1, 2]);
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn an_item_that_was_given_up_is_attempted_all_the_same() {
    let rig = Rig::new();
    let owner = rig.worker().start().await.unwrap();
    let run = rig.client.start(notify_or_give_up(text("ada"))).await.unwrap();
    assert_eq!(run.result().await.unwrap(), "gave up");
    let cancelled = rig.client.start(notify_by_mail(text("bob"), text("hello"))).await.unwrap();
    rig.until_parked(&cancelled).await;
    cancelled.cancel("nobody wants it").await.unwrap();
    rig.until(&cancelled, |record| record.status == RunStatus::Cancelled).await;
    let server = rig.server("mail").start().await.unwrap();
    rig.until_begun("ada", &[1]).await;
    rig.until_begun("bob", &[1]).await;
    let later = rig.client.start(notify_by_mail(text("ada"), text("hello"))).await.unwrap();
    assert_eq!(later.result().await.unwrap(), "ada done: hello");
    assert_eq!(rig.lab.begun("ada"), [1]);
    owner.shutdown().await.unwrap();
    server.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn an_offer_stands_though_it_is_given_up_before_the_commit() {
    let rig = Rig::new();
    let worker = rig.worker().queue("mail").start().await.unwrap();
    let run = rig.client.start(fickle_notify(text("ada"))).await.unwrap();
    let told = run.result().await.unwrap();
    assert_eq!(told, "at once");
    rig.until_begun("ada", &[1]).await;
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_call_can_have_a_key() {
    let rig = Rig::new();
    let worker = rig.worker().queue("mail").start().await.unwrap();
    let first = rig.client.start(notify_by_call(text("ada"), text("k"))).await.unwrap();
    assert_eq!(first.result().await.unwrap(), "ada done");
    // The arguments of the first one count.
    let second = rig.client.start(notify_by_call(text("bob"), text("k"))).await.unwrap();
    assert_eq!(second.result().await.unwrap(), "ada done");
    assert_eq!(rig.lab.begun("bob"), [0_u32; 0]);
    let none = rig.client.start(notify_by_call(text("bob"), text(""))).await.unwrap();
    let error = none.result().await.unwrap_err();
    assert!(error.to_string().contains("cannot have the key"), "{error}");
    worker.shutdown().await.unwrap();
}

#[workflow]
async fn notify_of_both(cx: &Context) -> (String, String) {
    let one = send_mail("ada", "hello: Ben".to_owned()).await;
    let other = send_mail("ada:hello", " Ben".to_owned()).await;
    (one.unwrap_or_default(), other.unwrap_or_default())
}

#[tokio::test(start_paused = true)]
async fn values_of_a_key_do_not_run_into_each_other() {
    let rig = Rig::new();
    let worker = rig.worker().queue("mail").start().await.unwrap();
    let run = rig.client.start(notify_of_both()).await.unwrap();
    let sent = ("ada done: hello: Ben".to_owned(), "ada:hello done:  Ben".to_owned());
    assert_eq!(run.result().await.unwrap(), sent);
    worker.shutdown().await.unwrap();
}

#[activity(name = "post.letter", queue = "mail", key = "{to}")]
async fn post_letter(cx: &ActivityContext, to: &str) -> Result<u64, String> {
    perform::call(cx, to).await.map(|sent| sent.len() as u64)
}

#[activity(name = "count.letters", queue = "mail", key = "{to}")]
async fn count_letters(cx: &ActivityContext, to: &str) -> Result<u64, String> {
    perform::call(cx, to).await.map(|_| 7)
}

#[workflow]
async fn two_activities_with_one_key(to: String) -> (u64, u64) {
    let posted = post_letter(&to).await.unwrap_or_default();
    (posted, count_letters(&to).await.unwrap_or_default())
}

#[tokio::test(start_paused = true)]
async fn each_activity_has_its_own_keys() {
    let rig = Rig::new();
    let worker = rig.worker().queue("mail").start().await.unwrap();
    let run = rig.client.start(two_activities_with_one_key(text("ada"))).await.unwrap();
    assert_eq!(run.result().await.unwrap(), (8, 7));
    assert_eq!(rig.lab.begun("ada"), [1, 1]);
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn only_its_activity_completes_an_item() {
    let rig = Rig::new();
    let token = piton::model::PromiseToken::of_item("send_mail", "mail", "ada:hello");
    let refused = rig.client.promise(&token).resolve(&text("forged")).await.unwrap_err();
    assert!(refused.to_string().contains("which only its activity completes"), "{refused}");
}

#[tokio::test(start_paused = true)]
async fn items_can_be_many_with_a_limit() {
    let rig = Rig::new();
    let worker = rig.worker().queue("mail").start().await.unwrap();
    rig.lab.fail("bob", 2);
    let to = ["ada", "bob", "eve", "ada"].map(text).to_vec();
    let run = rig.client.start(notify_most(to)).await.unwrap();
    assert_eq!(run.result().await.unwrap(), 3);
    assert_eq!((rig.lab.begun("ada"), rig.lab.begun("bob")), (vec![1], vec![1, 2]));
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn an_item_that_a_run_waits_for_is_shown() {
    let rig = Rig::new();
    let owner = rig.worker().start().await.unwrap();
    let first = rig.client.start(notify_by_mail(text("ada"), text("hello"))).await.unwrap();
    rig.until_parked(&first).await;
    let second = rig.client.start(notify_by_mail(text("ada"), text("hello"))).await.unwrap();
    rig.until_parked(&second).await;
    for run in [&first, &second] {
        let shown = rig.client.inspect(run.run_id()).await.unwrap();
        let wait = &shown.position.unwrap().waits[0];
        assert_eq!(wait.name, "send_mail");
        let WaitFor::Item { activity, queue, key } = &wait.on else { panic!("{wait:?}") };
        assert_eq!([activity, queue, key], ["send_mail", "mail", "ada:hello"]);
    }
    let server = rig.server("mail").start().await.unwrap();
    rig.lab.fail("bob", 1);
    let third = rig.client.start(notify_by_mail(text("bob"), text("hello"))).await.unwrap();
    rig.until_begun("bob", &[1]).await;
    let shown = loop {
        match &third.activities().await.unwrap()[..] {
            [shown] if shown.last_failure.is_some() => break shown.clone(),
            _ => tokio::task::yield_now().await,
        }
    };
    assert_eq!((shown.name.as_str(), shown.queue.as_deref()), ("send_mail", Some("mail")));
    assert_eq!((shown.key.as_deref(), shown.attempt), (Some("bob:hello"), 2));
    assert!(shown.next_attempt_at.is_some());
    third.result().await.unwrap();
    assert_eq!(third.activities().await.unwrap(), []);
    owner.shutdown().await.unwrap();
    server.shutdown().await.unwrap();
}
