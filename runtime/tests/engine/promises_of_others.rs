//! Promises that other runs await or complete: shared ones, and those of a run.

use piton::machine::{Never, PromiseError};
use piton::prelude::*;

use crate::activities::echo;
use crate::faults::Failing;
use crate::promises::{Decision, Refusal, answer, approve, decision, token, until_awaited};
use crate::rig::Rig;

/// Waits for a shared promise.
#[workflow]
async fn await_shared(cx: &Context, name: String) -> Result<u32, PromiseError<String>> {
    cx.shared_promise::<u32, String>(name).await
}

/// Fills the shared promise with the result of an activity.
#[workflow]
async fn fill_shared(cx: &Context, name: String, text: String) -> String {
    let promise: Promise<String, Never> = cx.shared_promise(name);
    let given = promise.fill(echo(&text)).await;
    given
}

#[workflow]
async fn await_text(cx: &Context, token: PromiseToken) -> Result<String, PromiseError<Never>> {
    cx.await_promise::<String, Never>(token).await
}

/// Awaits the approval of another run, and returns its outcome.
#[workflow]
async fn attend(cx: &Context, token: PromiseToken) -> String {
    match cx.await_promise::<Decision, Refusal>(token).await {
        Ok(decision) => decision.by,
        Err(error) => error.to_string(),
    }
}

#[tokio::test(start_paused = true)]
async fn closing_a_run_ends_the_waits_for_its_promises() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let start = || async {
        let owner = rig.client.start(approve("go".into())).await.unwrap();
        rig.until_parked(&owner).await;
        let waiting = rig.client.start(attend(token(&owner, "other"))).await.unwrap();
        rig.until_parked(&waiting).await;
        until_awaited(&rig.client.promise(&token(&owner, "other"))).await;
        (owner, waiting)
    };
    let (owner, waiting) = start().await;
    let approval = rig.client.promise(&token(&owner, "approval"));
    assert!(approval.resolve(&decision("Ada")).await.unwrap().is_first());
    let told = waiting.result().await.unwrap();
    let of = |owner: &RunHandle<_>| {
        format!("the promise is broken: the run {} is closed", owner.run_id())
    };
    assert_eq!(told, of(&owner));

    let (owner, waiting) = start().await;
    owner.terminate("enough").await.unwrap();
    assert_eq!(waiting.result().await.unwrap(), of(&owner));
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_run_that_was_awaited_before_it_started_tells_so_when_it_is_over() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let token = PromiseToken::of_workflow_id("approve", "later", "other");
    let waiting = rig.client.start(attend(token.clone())).await.unwrap();
    until_awaited(&rig.client.promise(&token)).await;
    let owner = rig.client.start(approve("go".into())).id("later").await.unwrap();
    owner.terminate("enough").await.unwrap();
    let told = waiting.result().await.unwrap();
    assert_eq!(told, format!("the promise is broken: the run {} is closed", owner.run_id()));
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_shared_promise_goes_to_all_runs_that_await_it() {
    let rig = Rig::new();
    let workers = [rig.worker().start().await.unwrap(), rig.remote_worker().start().await.unwrap()];
    let mut runs = Vec::new();
    for _ in 0..20 {
        runs.push(rig.client.start(await_shared("go".into())).await.unwrap());
    }
    for run in &runs {
        rig.until_parked(run).await;
    }
    let promise = rig.client.promise(&PromiseToken::shared("go"));
    assert!(promise.resolve(&42_u32).await.unwrap().is_first());
    // Before and after it is completed.
    runs.push(rig.client.start(await_shared("go".into())).await.unwrap());
    for run in runs {
        assert_eq!(run.result().await.unwrap(), 42);
    }
    for worker in workers {
        worker.shutdown().await.unwrap();
    }
}

/// While the relay and the completion fail before and after their effects.
#[tokio::test(start_paused = true)]
async fn runs_answer_each_other_by_promises() {
    for (operation, happens) in [
        ("relay_messages", false),
        ("relay_messages", true),
        ("complete_promises", false),
        ("complete_promises", true),
    ] {
        let rig = Rig::new();
        rig.store.set_hook(Failing::new(operation, 3, happens));
        let worker = rig.worker().start().await.unwrap();
        for number in 0..8 {
            let token = PromiseToken::of_workflow_id("await_text", format!("ask-{number}"), "text");
            let asker = await_text(token.clone());
            let run = rig.client.start(asker).id(format!("ask-{number}")).await.unwrap();
            match number % 2 {
                0 => drop(rig.client.start(answer(token, Some("hello".into()))).await.unwrap()),
                _ => {
                    let completed = rig.client.promise(&token).resolve(&"hello".to_owned()).await;
                    assert!(completed.unwrap().is_first(), "{operation} {happens}");
                }
            }
            assert_eq!(run.result().await.unwrap(), "hello", "{operation} {happens}");
        }
        worker.shutdown().await.unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn a_promise_is_filled_with_the_output_of_an_operation() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let shared = PromiseToken::shared("text");
    let waiting = rig.client.start(await_text(shared.clone())).await.unwrap();
    rig.until_parked(&waiting).await;
    let filling = rig.client.start(fill_shared("text".into(), "hi".into())).await.unwrap();
    let given = filling.result().await.unwrap();
    assert_eq!(waiting.result().await.unwrap(), given);
    let second = rig.client.start(fill_shared("text".into(), "other".into())).await.unwrap();
    assert_ne!(second.result().await.unwrap(), given, "the second run returns its own value");
    let known = rig.client.promise(&shared).peek().await.unwrap().expect("it is filled");
    assert_eq!(known.read::<String, Never>().unwrap(), Ok(given));
    worker.shutdown().await.unwrap();
}
