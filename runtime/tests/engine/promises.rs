//! Promises of a run: their tokens, completion, types and expiry.

use std::time::Duration;

use piton::client::{Completed, PromiseHandle};
use piton::codec::Schema;
use piton::error::CompleteError;
use piton::machine::{Never, PromiseError};
use piton::model::{BlockedReason, Cause, CauseKind, PromiseOutcome, RunId};
use piton::prelude::*;
use piton::store::{PromiseFilter, PromiseRecord};
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::activities::echo;
use crate::rig::Rig;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Decision {
    pub(crate) by: String,
    cents: u64,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, thiserror::Error)]
#[error("refused: {0}")]
pub(crate) struct Refusal(String);

type Approval = Promise<Decision, Refusal>;

/// A type that cannot be read as a [`Decision`].
#[derive(Serialize, Deserialize)]
struct BadDecision {
    by: u64,
    cents: u64,
}

/// A type that can be read as a [`Decision`].
#[derive(Serialize, Deserialize)]
struct DecisionOnPaper {
    page: u32,
    cents: u32,
    by: String,
}

pub(crate) fn decision(by: &str) -> Decision {
    Decision { by: by.to_owned(), cents: 7 }
}

/// Keeps the promise across another await.
#[workflow]
pub(crate) async fn approve(
    cx: &Context,
    first: String,
) -> Result<Decision, PromiseError<Refusal>> {
    let approval: Approval = cx.promise("approval");
    let token = approval.token();
    echo(&first).await;
    assert_eq!(token.name(), "approval");
    approval.await
}

#[workflow]
async fn approve_within(cx: &Context, limit: Duration) -> Vec<String> {
    let approval: Approval = cx.promise("approval");
    let mut seen = Vec::new();
    for _ in 0..2 {
        match approval.clone().timeout(limit).await {
            Some(Ok(decision)) => seen.push(decision.by),
            Some(Err(error)) => seen.push(error.to_string()),
            None => seen.push("nobody".to_owned()),
        }
    }
    seen
}

#[workflow]
async fn approve_or_expire(cx: &Context) -> Result<(), PromiseError<Never>> {
    let go: Promise = cx.promise("go").expires_at(cx.now() + hours(1));
    go.await
}

/// Waits for one of two.
#[workflow]
async fn either(cx: &Context) -> String {
    let left: Promise<String, Never> = cx.promise("left");
    let right: Promise<String, Never> = cx.promise("right");
    select! {
        text = left => format!("left {text:?}"),
        text = right => format!("right {text:?}"),
    }
}

/// Waits for both.
#[workflow]
async fn both(cx: &Context) -> (String, String) {
    let (left, right) =
        join!(cx.promise::<String, Never>("left"), cx.promise::<String, Never>("right"));
    (left.unwrap_or_default(), right.unwrap_or_default())
}

/// Asks again if nobody answers, with a new promise for each attempt.
#[workflow]
async fn ask_twice(cx: &Context) -> Vec<Option<u32>> {
    let mut answers = Vec::new();
    for attempt in 1..=2 {
        let quote: Promise<u32, Never> = cx.promise("quote").for_attempt(attempt);
        let answer = quote.timeout(hours(1)).await;
        answers.push(answer.and_then(|answer| answer.ok()));
    }
    answers
}

#[derive(Clone, Serialize, Deserialize)]
struct Order {
    id: u32,
}

/// Runs of one order have one workflow id.
#[workflow(id = "order-{order.id}-{part}")]
async fn fulfill(
    cx: &Context,
    part: String,
    order: Order,
    rush: bool,
) -> Result<u32, PromiseError<Never>> {
    let approval: Promise<u32> = cx.promise("approval");
    let value = approval.await?;
    Ok(value + order.id + u32::from(rush) + part.len() as u32)
}

/// Keeps its states.
#[workflow(history = 5)]
async fn approve_twice(cx: &Context) -> u32 {
    let first = cx.promise::<u32, Never>("first").await.unwrap_or_default();
    let second = cx.promise::<u32, Never>("second").await.unwrap_or_default();
    first + second
}

#[workflow]
async fn await_nameless(cx: &Context) {
    let _ = cx.promise::<(), Never>("").await;
}

#[workflow]
pub(crate) async fn answer(cx: &Context, token: PromiseToken, text: Option<String>) {
    match text {
        Some(text) => cx.complete_promise::<String, String>(&token, Ok(text)),
        None => cx.break_promise(&token, Cause::failure("there is none")),
    }
}

async fn promises(rig: &Rig) -> Vec<PromiseRecord> {
    rig.client.promises(&PromiseFilter::default(), None, 100).await.unwrap()
}

/// Waits on virtual time until the promise is awaited.
pub(crate) async fn until_awaited(promise: &PromiseHandle) {
    while promise.record().await.unwrap().is_none() {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
}

pub(crate) fn token<W: piton::machine::Workflow>(run: &RunHandle<W>, name: &str) -> PromiseToken {
    PromiseToken::of_run(W::NAME, run.run_id(), name)
}

#[tokio::test(start_paused = true)]
async fn a_promise_is_resolved_rejected_or_broken_once() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let start = || async {
        let run = rig.client.start(approve("go".into())).await.unwrap();
        rig.until_parked(&run).await;
        let promise = rig.client.promise(&token(&run, "approval"));
        assert_eq!(promise.peek().await.unwrap(), None);
        (run, promise)
    };

    let (run, promise) = start().await;
    assert!(promise.resolve(&decision("Ada")).await.unwrap().is_first());
    let Completed::Already(known) = promise.reject(&Refusal("no".into())).await.unwrap() else {
        panic!("somebody was faster")
    };
    assert_eq!(known.read::<Decision, Refusal>().unwrap(), Ok(decision("Ada")));
    assert_eq!(known.to_json().unwrap(), json!({ "by": "Ada", "cents": 7 }));
    assert_eq!(run.result().await.unwrap(), decision("Ada"));
    assert_eq!(promise.peek().await.unwrap(), Some(known));

    let (run, promise) = start().await;
    let refused: Result<Decision, Refusal> = Err(Refusal("no".into()));
    assert!(promise.complete(&refused).await.unwrap().is_first());
    let Err(RunError::Failed(error)) = run.result().await else { panic!("it was rejected") };
    assert_eq!(error, PromiseError::Rejected(Refusal("no".into())));
    assert_eq!(error.to_string(), "refused: no");

    let (run, promise) = start().await;
    let cause = Cause::interruption("the mail server has stopped").because("out of memory");
    assert!(promise.reject_with(cause.clone()).await.unwrap().is_first());
    let Err(RunError::Failed(PromiseError::Broken(found))) = run.result().await else {
        panic!("it is broken")
    };
    assert_eq!((found.kind(), &found), (CauseKind::Interruption, &cause));

    let late = promise.resolve(&decision("Ada")).await.unwrap();
    assert!(!late.is_first(), "the run is closed, and the promise has an outcome");
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_promise_is_completed_before_the_run_exists() {
    let rig = Rig::new();
    let token = PromiseToken::of_workflow_id("approve", "order-1", "approval");
    let promise = rig.client.promise(&token);
    assert!(promise.resolve(&decision("Ada")).await.unwrap().is_first());
    assert!(!promise.resolve(&decision("Bob")).await.unwrap().is_first());
    let worker = rig.worker().start().await.unwrap();
    let run = rig.client.start(approve("go".into())).id("order-1").await.unwrap();
    assert_eq!(run.result().await.unwrap(), decision("Ada"));
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn completing_a_promise_of_a_closed_or_unknown_run_is_an_error() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let run = rig.client.start(answer(PromiseToken::shared("x"), None)).await.unwrap();
    run.result().await.unwrap();
    let closed = rig.client.promise(&token(&run, "approval")).resolve(&1_u32).await;
    assert!(matches!(closed, Err(CompleteError::Closed { run_id }) if run_id == run.run_id()));
    let nobody = PromiseToken::of_run("approve", RunId::new(), "approval");
    let unknown = rig.client.promise(&nobody).resolve(&1_u32).await;
    assert!(matches!(unknown, Err(CompleteError::Unknown { .. })), "{unknown:?}");
    for nameless in [PromiseToken::shared(""), PromiseToken::of_workflow_id("a", "", "b")] {
        let refused = rig.client.promise(&nameless).resolve(&1_u32).await;
        assert!(matches!(refused, Err(CompleteError::Token { .. })), "{refused:?}");
    }
    let nameless = rig.client.start(await_nameless()).await.unwrap();
    let Err(RunError::Uncaught { reason }) = nameless.result().await else { panic!("it fails") };
    assert!(reason.contains("there is no promise"), "{reason}");
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_token_of_another_workflow_completes_nothing() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let run = rig.client.start(approve("go".into())).id("order-1").await.unwrap();
    rig.until_parked(&run).await;
    for wrong in [
        PromiseToken::of_run("fulfill", run.run_id(), "approval"),
        PromiseToken::of_workflow_id("fulfill", "order-1", "approval"),
    ] {
        let refused = rig.client.promise(&wrong).resolve(&decision("Ada")).await.unwrap_err();
        let names = format!(
            "`{wrong}` names the workflow `fulfill`, but the run {} is of `approve`",
            run.run_id()
        );
        assert_eq!(refused.to_string(), names);
        let CompleteError::OtherWorkflow { token, run_id, workflow } = refused else {
            panic!("{refused:?}")
        };
        assert_eq!((token, run_id, &*workflow), (wrong, run.run_id(), "approve"));
    }
    let promise = rig.client.promise(&token(&run, "approval"));
    assert_eq!(promise.peek().await.unwrap(), None);
    assert!(promise.resolve(&decision("Bob")).await.unwrap().is_first());
    assert_eq!(run.result().await.unwrap(), decision("Bob"));
    worker.shutdown().await.unwrap();
}

#[workflow(formerly = "sign_by_hand")]
async fn sign(cx: &Context) -> u32 {
    cx.promise::<u32, Never>("signature").await.unwrap_or_default()
}

#[workflow]
async fn draft(cx: &Context) -> u32 {
    return cx.continue_as_new(sign());
}

#[tokio::test(start_paused = true)]
async fn a_token_may_name_a_workflow_as_it_was_called() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let run = rig.client.start(sign()).id("letter-1").await.unwrap();
    rig.until_parked(&run).await;
    let former = PromiseToken::of_run("sign_by_hand", run.run_id(), "signature");
    assert!(rig.client.promise(&former).resolve(&7_u32).await.unwrap().is_first());
    assert_eq!(run.result().await.unwrap(), 7);

    // A chain that began as the named workflow.
    let run = rig.client.start(draft()).id("letter-2").await.unwrap();
    let first = PromiseToken::of_workflow_id("draft", "letter-2", "signature");
    let promise = rig.client.promise(&first);
    until_awaited(&promise).await;
    assert!(promise.resolve(&8_u32).await.unwrap().is_first());
    assert_eq!(run.result().await.unwrap(), 8);
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_wait_with_a_limit_can_be_repeated() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let run = rig.client.start(approve_within(hours(1))).await.unwrap();
    rig.until_parked(&run).await;
    tokio::time::sleep(hours(1) + minutes(1)).await;
    let completed = rig.client.promise(&token(&run, "approval")).resolve(&decision("Ada")).await;
    assert!(completed.unwrap().is_first());
    assert_eq!(run.result().await.unwrap(), ["nobody", "Ada"]);
    assert_eq!(promises(&rig).await[0].waits, 0);
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_promise_expires() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let run = rig.client.start(approve_or_expire()).await.unwrap();
    rig.until_parked(&run).await;
    let Err(RunError::Failed(error)) = run.result().await else { panic!("it expires") };
    assert_eq!(error, PromiseError::Expired);
    let promise = rig.client.promise(&token(&run, "go"));
    let Completed::Already(known) = promise.resolve(&()).await.unwrap() else {
        panic!("it is too late")
    };
    assert_eq!(*known.outcome(), PromiseOutcome::Expired);
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn promises_are_awaited_together() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let run = rig.client.start(either()).await.unwrap();
    rig.until_parked(&run).await;
    let right = rig.client.promise(&token(&run, "right"));
    assert!(right.resolve(&"now".to_owned()).await.unwrap().is_first());
    assert_eq!(run.result().await.unwrap(), "right Ok(\"now\")");
    // No run awaits the other one any more.
    let left = rig.client.promise(&token(&run, "left")).record().await.unwrap();
    assert_eq!(left, None);

    let run = rig.client.start(both()).await.unwrap();
    rig.until_parked(&run).await;
    for name in ["right", "left"] {
        let promise = rig.client.promise(&token(&run, name));
        assert!(promise.resolve(&name.to_owned()).await.unwrap().is_first());
    }
    assert_eq!(run.result().await.unwrap(), ("left".to_owned(), "right".to_owned()));
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_late_answer_does_not_complete_the_next_attempt() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let run = rig.client.start(ask_twice()).await.unwrap();
    rig.until_parked(&run).await;
    tokio::time::sleep(hours(1) + minutes(1)).await;
    for (attempt, value) in [(1, 10_u32), (2, 20)] {
        let token = token(&run, "quote").for_attempt(attempt);
        assert_eq!(token.name(), format!("quote/{attempt}"));
        assert!(rig.client.promise(&token).resolve(&value).await.unwrap().is_first());
    }
    assert_eq!(run.result().await.unwrap(), [None, Some(20)]);
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn what_does_not_fit_is_refused_once_it_is_awaited() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let run = rig.client.start(approve("go".into())).await.unwrap();
    rig.until_parked(&run).await;
    let promise = rig.client.promise(&token(&run, "approval"));
    until_awaited(&promise).await;
    let schemas = promise.schemas().await.unwrap().unwrap();
    // Types that are stored alike share a schema, which has the name of one of them.
    assert_eq!(schemas.resolved.hash(), Schema::of::<Decision>().hash());
    assert_eq!(schemas.rejected.hash(), Schema::of::<Refusal>().hash());
    let refused = promise.resolve_json(&json!({ "bye": "Ada", "cents": 7 })).await.unwrap_err();
    let CompleteError::Unfit { reason, .. } = &refused else { panic!("{refused}") };
    assert!(reason.starts_with("it is no `Decision`: `bye`"), "{reason}");
    let fits = promise.resolve_json(&json!({ "by": "Ada", "cents": 7 })).await;
    assert!(fits.unwrap().is_first());
    assert_eq!(run.result().await.unwrap(), decision("Ada"));

    let run = rig.client.start(approve("go".into())).await.unwrap();
    rig.until_parked(&run).await;
    let promise = rig.client.promise(&token(&run, "approval"));
    until_awaited(&promise).await;
    let refused = promise.resolve(&"a text".to_owned()).await.unwrap_err();
    let CompleteError::Unfit { reason, .. } = &refused else { panic!("{refused}") };
    let expected = "it is no `Decision`: expected a struct of by, cents, found string \"a text\"";
    assert_eq!(reason, expected);
    let refused = promise.resolve(&BadDecision { by: 7, cents: 7 }).await.unwrap_err();
    let CompleteError::Unfit { reason, .. } = &refused else { panic!("{refused}") };
    assert_eq!(reason, "it is no `Decision`: `by`: expected a text, found integer `7`");
    let refused = promise.reject(&7_u32).await.unwrap_err();
    assert!(matches!(refused, CompleteError::Unfit { .. }), "{refused}");
    assert_eq!(promise.peek().await.unwrap(), None);
    // Another type that can be read as the expected one.
    let other = DecisionOnPaper { by: "Ada".into(), cents: 7, page: 3 };
    assert!(promise.resolve(&other).await.unwrap().is_first());
    assert_eq!(run.result().await.unwrap(), decision("Ada"));

    // Before anybody awaits it, nobody knows the type.
    let run =
        rig.client.start(approve("go".into())).id("early").start_delay(hours(1)).await.unwrap();
    let promise = rig.client.promise(&token(&run, "approval"));
    assert_eq!(promise.schemas().await.unwrap(), None);
    assert!(promise.resolve(&"a text".to_owned()).await.unwrap().is_first());
    tokio::time::sleep(hours(1)).await;
    let blocked = rig.until_blocked(&run).await.blocked;
    let Some(BlockedReason::Undecodable(reason)) = blocked else { panic!("{blocked:?}") };
    assert!(reason.contains("the promise `approval`"), "{reason}");
    run.terminate("it waits for what it cannot read").await.unwrap();
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_run_that_ends_awaits_nothing() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let run = rig.client.start(approve("go".into())).await.unwrap();
    rig.until_parked(&run).await;
    until_awaited(&rig.client.promise(&token(&run, "approval"))).await;
    assert_eq!(promises(&rig).await.len(), 1);
    run.cancel("enough").await.unwrap();
    assert!(matches!(run.result().await, Err(RunError::Cancelled { .. })));
    worker.shutdown().await.unwrap();
    assert_eq!(promises(&rig).await, []);
}

#[tokio::test(start_paused = true)]
async fn a_look_at_a_run_shows_the_token() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let run = rig.client.start(approve("go".into())).await.unwrap();
    rig.until_parked(&run).await;
    let inspection = rig.client.inspect(run.run_id()).await.unwrap();
    let shown = serde_json::to_value(&inspection).unwrap().to_string();
    assert!(shown.contains(&token(&run, "approval").to_string()), "{shown}");
    worker.shutdown().await.unwrap();
}

/// The token follows from the arguments.
#[tokio::test(start_paused = true)]
async fn a_token_is_made_of_the_arguments() {
    let rig = Rig::new();
    let order = Order { id: 7 };
    let id = fulfill::workflow_id(&"a".to_owned(), &order);
    assert_eq!(id, "order-7-a");
    let token = PromiseToken::of_workflow_id("fulfill", id, "approval");
    assert!(rig.client.promise(&token).resolve(&100_u32).await.unwrap().is_first());
    let worker = rig.worker().start().await.unwrap();
    let run = rig.client.start(fulfill("a".into(), order.clone(), true)).await.unwrap();
    assert_eq!(run.workflow_id(), "order-7-a");
    assert_eq!(run.result().await.unwrap(), 109);
    let other = rig.client.start(fulfill("a".into(), order, false)).id("another").await.unwrap();
    assert_eq!(other.workflow_id(), "another");
    other.terminate("enough").await.unwrap();
    worker.shutdown().await.unwrap();
}

/// A run that returned to a withdrawn wait would wait forever.
#[tokio::test(start_paused = true)]
async fn a_run_does_not_go_back_to_a_promise_that_it_no_longer_awaits() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let run = rig.client.start(approve_twice()).await.unwrap();
    rig.until_parked(&run).await;
    let first = rig.client.promise(&token(&run, "first"));
    until_awaited(&first).await;
    let waiting = run.status().await.unwrap().step_no;
    assert!(first.resolve(&1_u32).await.unwrap().is_first());
    rig.until(&run, |record| record.owner.is_none() && record.step_no > waiting).await;
    let refused = rig.client.rewind(run.run_id(), waiting).by("Ada").because("a mistake").await;
    let Err(piton::error::EditError::OnPromise { promise }) = refused else {
        panic!("it is refused: {refused:?}")
    };
    assert_eq!(promise, "first");
    assert!(rig.client.promise(&token(&run, "second")).resolve(&2_u32).await.unwrap().is_first());
    assert_eq!(run.result().await.unwrap(), 3);
    worker.shutdown().await.unwrap();
}

/// Waits for the promise once it has slept.
#[workflow(history = 10)]
async fn approve_later(cx: &Context) -> u32 {
    cx.sleep(minutes(2)).await;
    cx.promise::<u32, Never>("approval").await.unwrap_or_default()
}

#[tokio::test(start_paused = true)]
async fn a_run_that_goes_back_no_longer_waits_where_it_was() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let run = rig.client.start(approve_later()).await.unwrap();
    let asleep = rig.until_parked(&run).await.step_no;
    tokio::time::sleep(Duration::from_secs(120)).await;
    let promise = rig.client.promise(&token(&run, "approval"));
    until_awaited(&promise).await;
    let waiting = rig.until_parked(&run).await.step_no;
    rig.client.rewind(run.run_id(), asleep).by("Ada").because("a mistake").await.unwrap();
    // The timer has fired, so it waits for the promise again.
    rig.until(&run, |record| record.owner.is_none() && record.step_no.0 > waiting.0 + 1).await;
    tokio::time::sleep(Duration::from_secs(10)).await;
    assert_eq!(promise.record().await.unwrap().unwrap().waits, 1);
    assert!(promise.resolve(&7_u32).await.unwrap().is_first());
    assert_eq!(run.result().await.unwrap(), 7);
    worker.shutdown().await.unwrap();
}
