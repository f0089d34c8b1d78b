//! Updates: requests that a run answers.

use std::future::IntoFuture;
use std::time::Duration;

use piton::client::UpdateHandle;
use piton::error::UpdateError;
use piton::machine::Never;
use piton::model::{Payload, RunId};
use piton::prelude::*;
use piton::store::{ArrivalKind, Messages as _, NewArrival, UpdateKey};
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::faults::Failing;
use crate::rig::Rig;

/// Adds a number to a sum.
#[derive(Debug, Update, Serialize, Deserialize)]
#[update(reply = u32, error = TooMuch)]
struct Add {
    number: u32,
}

/// The error for a sum above the limit.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct TooMuch {
    limit: u32,
}

impl std::fmt::Display for TooMuch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "the limit is {}", self.limit)
    }
}

/// Requests an answer without data.
#[derive(Update, Serialize, Deserialize)]
struct Ping;

/// Ends the sum.
#[derive(Signal, Serialize, Deserialize)]
struct Stop {}

/// Sums up until `Stop`; refuses sums above 100, and drops the number 13 without an answer.
#[workflow]
async fn sum_up(cx: &Context) -> u32 {
    #[expose]
    let mut sum = 0;
    loop {
        select! {
            add = cx.update::<Add>() => {
                let number = add.number;
                if number == 13 {
                    continue;
                }
                if sum + number > 100 {
                    add.refuse(TooMuch { limit: 100 });
                    continue;
                }
                sum += number;
                add.reply(sum);
            }
            ping = cx.update::<Ping>() => ping.reply(()),
            _ = cx.signal::<Stop>() => break,
        }
    }
    sum
}

/// Takes some numbers, and answers in another order, some of it an hour later.
#[workflow]
async fn answer_late(cx: &Context, count: usize) {
    let mut waiting = Vec::new();
    for _ in 0..count {
        waiting.push(cx.update::<Add>().await);
    }
    cx.sleep(hours(1)).await;
    while waiting.len() > 1 {
        let add = waiting.remove(waiting.len() - 1);
        let (Add { number }, answer) = add.into_parts();
        cx.sleep(seconds(1)).await;
        answer.complete(Ok(number * 10));
    }
    drop(waiting);
    cx.sleep(hours(1)).await;
}

/// Waits for a number, but not for long.
#[workflow]
async fn wait_briefly(cx: &Context) -> bool {
    match cx.update::<Add>().timeout(seconds(10)).await {
        Some(add) => {
            add.reply(0);
            true
        }
        None => false,
    }
}

/// Answers in two branches.
#[workflow]
async fn answer_in_branches(cx: &Context) -> u32 {
    let (ones, others) = join!(
        async {
            let add = cx.update::<Add>().await;
            cx.sleep(seconds(1)).await;
            let number = add.number;
            add.reply(number);
            number
        },
        async {
            cx.update::<Ping>().await.reply(());
            7
        },
    );
    ones + others
}

/// Panics after it has answered, in the same step.
#[workflow]
async fn answer_and_break(cx: &Context) {
    let add = cx.update::<Add>().await;
    add.reply(1);
    if cx.now() > Timestamp::MIN {
        panic!("as it was told");
    }
    cx.sleep(hours(1)).await;
}

fn add(number: u32) -> Add {
    Add { number }
}

#[tokio::test(start_paused = true)]
async fn each_update_gets_its_answer() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let run = rig.client.start(sum_up()).await.unwrap();
    assert_eq!(run.update(add(5)).await.unwrap(), 5);
    assert_eq!(run.update(add(90)).await.unwrap(), 95);
    let refused = run.update(add(6)).await.unwrap_err();
    assert!(matches!(refused, UpdateError::Refused(TooMuch { limit: 100 })), "{refused:?}");
    run.update(Ping).await.unwrap();
    assert_eq!(run.update(add(4)).await.unwrap(), 99);
    run.signal(Stop {}).await.unwrap();
    assert_eq!(run.result().await.unwrap(), 99);
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn an_update_waits_for_a_worker() {
    let rig = Rig::new();
    let run = rig.client.start(sum_up()).await.unwrap();
    let accepted = run.update(add(5)).accepted().await.unwrap();
    let reply = tokio::spawn(async move { accepted.reply().await });
    tokio::time::sleep(hours(1)).await;
    assert!(!reply.is_finished());
    // Another process, whose commits cause no notifications here.
    let worker = rig.remote_worker().start().await.unwrap();
    assert_eq!(reply.await.unwrap().unwrap(), 5);
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn an_id_is_answered_once() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let run = rig.client.start(sum_up()).await.unwrap();
    for _ in 0..3 {
        assert_eq!(run.update(add(5)).id("five").await.unwrap(), 5);
    }
    assert_eq!(run.update(add(5)).id("five more").await.unwrap(), 10);
    // Later the id suffices to get the answer, even if the run is closed.
    run.signal(Stop {}).await.unwrap();
    assert_eq!(run.result().await.unwrap(), 10);
    assert_eq!(run.update_by_id::<Add>("five").reply().await.unwrap(), 5);
    assert_eq!(run.update(add(99)).id("five").await.unwrap(), 5);
    let never = run.update_by_id::<Add>("never").reply().await.unwrap_err();
    assert!(matches!(never, UpdateError::NotAccepted { .. }), "{never:?}");
    let closed = run.update(add(1)).await.unwrap_err();
    assert!(matches!(closed, UpdateError::Closed { .. }), "{closed:?}");
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_request_is_kept_until_it_is_answered() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let run = rig.client.start(answer_late(3)).await.unwrap();
    let mut sent: Vec<UpdateHandle<Add>> = Vec::new();
    for number in 1..=3 {
        sent.push(run.update(add(number)).accepted().await.unwrap());
    }
    rig.until(&run, |record| record.state == "sleep").await;
    let shown = rig.client.inspect(run.run_id()).await.unwrap();
    let ids: Vec<&str> = sent.iter().map(UpdateHandle::id).collect();
    assert_eq!(shown.unanswered, ids);
    assert_eq!(sent[2].reply().await.unwrap(), 30);
    assert_eq!(sent[1].reply().await.unwrap(), 20);
    // The last one is dropped.
    let dropped = sent[0].reply().await.unwrap_err();
    assert!(matches!(&dropped, UpdateError::Dropped { update, .. } if update == ids[0]));
    run.result().await.unwrap();
    let dropped = sent[0].reply().await.unwrap_err();
    assert!(matches!(dropped, UpdateError::Dropped { .. }), "{dropped:?}");
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_request_outlives_the_worker_that_took_it() {
    let rig = Rig::new();
    let first = rig.remote_worker().start().await.unwrap();
    let run = rig.client.start(answer_late(2)).await.unwrap();
    let one = run.update(add(1)).accepted().await.unwrap();
    let two = run.update(add(2)).accepted().await.unwrap();
    rig.until(&run, |record| record.state == "sleep").await;
    first.shutdown().await.unwrap();
    let second = rig.remote_worker().start().await.unwrap();
    assert_eq!(two.reply().await.unwrap(), 20);
    assert!(matches!(one.reply().await.unwrap_err(), UpdateError::Dropped { .. }));
    second.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_run_that_closes_first_says_so() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let run = rig.client.start(answer_late(1)).await.unwrap();
    let taken = run.update(add(1)).accepted().await.unwrap();
    rig.until(&run, |record| record.state == "sleep").await;
    let unread = run.update(add(2)).accepted().await.unwrap();
    run.terminate("enough").await.unwrap();
    for handle in [taken, unread] {
        let closed = handle.reply().await.unwrap_err();
        assert!(matches!(closed, UpdateError::Closed { .. }), "{closed:?}");
    }
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn the_sender_of_a_dropped_request_gets_an_error_at_once() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let run = rig.client.start(sum_up()).await.unwrap();
    let dropped = run.update(add(13)).await.unwrap_err();
    assert!(matches!(dropped, UpdateError::Dropped { .. }), "{dropped:?}");
    assert_eq!(run.update(add(5)).await.unwrap(), 5);
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_wait_for_an_update_may_end() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let run = rig.client.start(wait_briefly()).await.unwrap();
    assert!(!run.result().await.unwrap());
    let run = rig.client.start(wait_briefly()).await.unwrap();
    tokio::time::sleep(Duration::from_secs(9)).await;
    assert_eq!(run.update(add(1)).await.unwrap(), 0);
    assert!(run.result().await.unwrap());
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn branches_answer_each_by_itself() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let run = rig.client.start(answer_in_branches()).await.unwrap();
    let five = run.update(add(5)).accepted().await.unwrap();
    run.update(Ping).await.unwrap();
    assert_eq!(five.reply().await.unwrap(), 5);
    assert_eq!(run.result().await.unwrap(), 12);
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_step_that_panics_answers_nothing() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let run = rig.client.start(answer_and_break()).await.unwrap();
    let sent = run.update(add(5)).accepted().await.unwrap();
    rig.until_blocked(&run).await;
    let reply = tokio::spawn(async move { sent.reply().await });
    tokio::time::sleep(hours(1)).await;
    assert!(!reply.is_finished());
    run.terminate("it breaks").await.unwrap();
    assert!(matches!(reply.await.unwrap(), Err(UpdateError::Closed { .. })));
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn an_invalid_request_is_answered_with_an_error() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    rig.client.start(sum_up()).id("sum").await.unwrap();
    let run = rig.client.by_id("sum");
    assert_eq!(run.update("Add", &json!({ "number": 5 })).await.unwrap(), json!(5));
    let refused = run.update("Add", &json!({ "number": 99 })).await.unwrap_err();
    assert!(matches!(&refused, UpdateError::Refused(error) if *error == json!({ "limit": 100 })));
    // The typed client would refuse to send it.
    let sum = rig.client.run::<sum_up>("sum").await.unwrap();
    let key = UpdateKey { run_id: sum.run_id(), name: "Add".to_owned(), update: "five".to_owned() };
    let payload = Payload::from_json(&json!({ "number": "five" }));
    let kind = ArrivalKind::Update { name: "Add".to_owned(), id: key.update.clone(), payload };
    let dedup_key = Some(key.dedup_key());
    let arrival = NewArrival { run_id: key.run_id, kind, dedup_key, owner: None };
    rig.store.deliver(vec![arrival]).await.unwrap();
    let wrong = sum.update_by_id::<Add>("five").reply().await.unwrap_err();
    assert!(matches!(wrong, UpdateError::Unreadable { .. }), "{wrong:?}");
    let unknown = run.update("Subtract", &json!({})).await.unwrap_err();
    assert_eq!(
        unknown.to_string(),
        "the workflow `sum_up` never waits for the update `Subtract`; it waits for: `Add`, `Ping`"
    );
    assert_eq!(run.update("Add", &json!({ "number": 5 })).id("a").await.unwrap(), json!(10));
    assert_eq!(run.update("Add", &json!({ "number": 5 })).id("a").await.unwrap(), json!(10));
    let none = rig.client.by_id("nobody").update("Add", &json!({ "number": 5 })).await;
    assert!(matches!(none, Err(UpdateError::NoRun(_))));
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn an_id_of_another_update_is_refused() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let sum = rig.client.start(sum_up()).id("sum").await.unwrap();
    let refused = |error: String| {
        let run_id = sum.run_id();
        let expected = format!(
            "the run {run_id} has accepted the update `Add` with the id `x`, so `Ping` needs another id"
        );
        assert_eq!(error, expected);
    };
    // Accepted and not yet answered, as well as answered.
    let add = sum.update(Add { number: 1 }).id("x").accepted().await.unwrap();
    refused(sum.update(Ping).id("x").await.unwrap_err().to_string());
    assert_eq!(add.reply().await.unwrap(), 1);
    refused(sum.update(Ping).id("x").await.unwrap_err().to_string());
    refused(sum.update_by_id::<Ping>("x").reply().await.unwrap_err().to_string());
    let untyped = rig.client.by_id("sum");
    refused(untyped.update("Ping", &json!(null)).id("x").await.unwrap_err().to_string());
    let or_start = rig.client.update_or_start(Ping, sum_up()).id("sum").update_id("x");
    let error = or_start.await.unwrap_err();
    assert!(matches!(error, UpdateError::IdTaken { .. }), "{error:?}");
    // The first is answered as before, and the other one has ids of its own.
    assert_eq!(sum.update(Add { number: 1 }).id("x").await.unwrap(), 1);
    sum.update(Ping).id("y").await.unwrap();
    // Also after the run has closed.
    sum.signal(Stop {}).await.unwrap();
    assert_eq!(sum.result().await.unwrap(), 1);
    refused(sum.update_by_id::<Ping>("x").reply().await.unwrap_err().to_string());
    refused(sum.update(Ping).id("x").await.unwrap_err().to_string());
    worker.shutdown().await.unwrap();
}

/// Adds up in one run after the other.
#[workflow]
async fn sum_in_a_chain(cx: &Context, sum: u32) -> u32 {
    let add = cx.update::<Add>().await;
    let sum = sum + add.number;
    add.reply(sum);
    if sum > 100 {
        cx.update::<Ping>().await.reply(());
        return sum;
    }
    cx.continue_as_new(sum_in_a_chain(sum))
}

#[tokio::test(start_paused = true)]
async fn an_id_keeps_its_update_in_the_runs_that_follow() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let run = rig.client.start(sum_in_a_chain(0)).id("sum").await.unwrap();
    assert_eq!(run.update(Add { number: 1 }).id("x").await.unwrap(), 1);
    let next = rig.client.by_id("sum");
    while next.status().await.unwrap().run_id == run.run_id() {
        tokio::task::yield_now().await;
    }
    let error = next.update("Ping", &json!(null)).id("x").await.unwrap_err();
    assert!(matches!(error, UpdateError::IdTaken { .. }), "{error:?}");
    let again = next.update("Add", &json!({ "number": 1 })).id("x").await.unwrap();
    assert_eq!(again, json!(1));
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn json_that_is_no_request_is_not_sent() {
    let rig = Rig::new();
    let sum = rig.client.start(sum_up()).id("sum").await.unwrap();
    let run = rig.client.by_id("sum");
    // There is no worker that could answer.
    let send = async |json| {
        let answer = tokio::time::timeout(hours(1), run.update("Add", &json).into_future()).await;
        answer.expect("it is refused at once").unwrap_err().to_string()
    };
    let id = sum.run_id();
    assert_eq!(
        send(json!({ "number": "five" })).await,
        format!(
            "the run {id} cannot read the update: it is no `Add`: `number`: expected a number of type u32, \
             found string \"five\""
        )
    );
    assert!(send(json!({ "count": 5 })).await.contains("there is no such field"));
    assert_eq!(rig.client.inspect("sum").await.unwrap().unread_count, 0);
}

#[tokio::test(start_paused = true)]
async fn a_run_is_started_with_an_update_or_gets_it() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let client = &rig.client;
    for (number, sum) in [(5, 5), (6, 11)] {
        let id = format!("add-{number}");
        let send = || client.update_or_start(add(number), sum_up()).id("sum").update_id(id.clone());
        assert_eq!(send().await.unwrap(), sum);
        assert_eq!(send().await.unwrap(), sum, "as it was answered before");
    }
    let run = client.run::<sum_up>("sum").await.unwrap();
    run.signal(Stop {}).await.unwrap();
    assert_eq!(run.result().await.unwrap(), 11);
    // The id is free, and so a new run is started.
    let again = client.update_or_start(add(1), sum_up()).id("sum").await.unwrap();
    assert_eq!(again, 1);
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn an_id_must_be_a_key() {
    let rig = Rig::new();
    let run = rig.client.start(sum_up()).await.unwrap();
    for id in [String::new(), "x".repeat(1_001), "a\0b".to_owned()] {
        let refused = run.update(Ping).id(id).accepted().await.unwrap_err();
        assert!(matches!(refused, UpdateError::<Never>::Id(_)), "{refused:?}");
    }
    let unknown = rig.client.by_id(RunId::new()).update("Ping", &json!(null)).await.unwrap_err();
    assert!(matches!(unknown, UpdateError::Unknown { .. }), "{unknown:?}");
}

/// Each id gets one answer, whichever call fails.
#[tokio::test(start_paused = true)]
async fn failures_neither_lose_nor_double_an_answer() {
    for operation in ["deliver", "commit_steps", "find_update", "read_inbox", "find_run"] {
        for happens in [false, true] {
            let rig = Rig::new();
            let worker = rig.worker().start().await.unwrap();
            let run = rig.client.start(sum_up()).await.unwrap();
            rig.store.set_hook(Failing::new(operation, 2, happens));
            for number in 1..=5 {
                let id = number.to_string();
                assert_eq!(run.update(add(1)).id(&id).await.unwrap(), number, "{operation}");
                assert_eq!(run.update(add(1)).id(&id).await.unwrap(), number, "{operation}");
            }
            run.signal(Stop {}).await.unwrap();
            assert_eq!(run.result().await.unwrap(), 5);
            worker.shutdown().await.unwrap();
        }
    }
}
