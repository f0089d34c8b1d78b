//! Children, and runs that continue as new.

use std::collections::BTreeMap;

use piton::Result;
use piton::client::inspect::WaitFor;
use piton::error::RunError;
use piton::machine::ActivityCall;
use piton::model::Link;
use piton::prelude::*;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::activities::echo;
use crate::faults::Failing;
use crate::rig::Rig;

#[derive(Clone, Debug, PartialEq, Signal, Serialize, Deserialize)]
struct Add(u32);

#[derive(Clone, Debug, PartialEq, thiserror::Error, Serialize, Deserialize)]
enum BillError {
    #[error("there is nothing to bill to {0}")]
    Nothing(String),
}

/// The amount that a customer owes.
#[workflow]
async fn bill_customer(customer: String) -> Result<u32, BillError> {
    if customer.is_empty() {
        return Err(BillError::Nothing(customer));
    }
    echo(&customer).await;
    Ok(customer.len() as u32)
}

/// A child that runs until its sum reaches a limit.
#[workflow]
async fn add_up(cx: &Context, until: u32) -> u32 {
    let mut sum = 0;
    while sum < until {
        sum += cx.signal::<Add>().await.0;
    }
    sum
}

#[workflow]
async fn bill_one(cx: &Context, customer: String) -> Result<u32, String> {
    let billed = cx.start_child(bill_customer(customer)).id("the-bill").await;
    billed.map_err(|error| format!("{error:?}"))
}

#[workflow]
async fn bill_all(cx: &Context, customers: Vec<String>) -> Result<Vec<u32>> {
    let mut bills = Vec::new();
    for customer in customers {
        bills.push(cx.start_child(bill_customer(customer)));
    }
    cx.sleep(seconds(5)).await;
    let mut sums = Vec::new();
    for bill in bills {
        sums.push(bill.await?);
    }
    Ok(sums)
}

#[workflow]
async fn bill_together(cx: &Context, customers: Vec<String>) -> Vec<u32> {
    let bills: Vec<_> =
        customers.into_iter().map(|customer| cx.start_child(bill_customer(customer))).collect();
    let billed = join_all(bills).await;
    billed.into_iter().map(|sum| sum.unwrap_or_default()).collect()
}

/// Signals its child, and awaits it twice.
#[workflow]
async fn talk_to_child(cx: &Context) -> (u32, u32) {
    let child = cx.start_child(add_up(5)).id("listener");
    cx.sleep(seconds(1)).await;
    child.signal(cx, Add(2));
    cx.sleep(seconds(1)).await;
    child.signal(cx, Add(3));
    let first = child.result().await.unwrap_or_default();
    cx.sleep(seconds(60)).await;
    (first, child.await.unwrap_or_default())
}

/// Waits for its child in two branches.
#[workflow]
async fn wait_twice(cx: &Context) -> (u32, u32) {
    let child = cx.start_child(add_up(1));
    child.signal(cx, Add(4));
    let again = child.result();
    let (one, two) = join!(child, again);
    (one.unwrap_or_default(), two.unwrap_or_default())
}

#[workflow]
async fn cancel_child(cx: &Context) -> String {
    let child = cx.start_child(add_up(1));
    cx.sleep(seconds(1)).await;
    child.cancel(cx, "not needed");
    let ended = child.await;
    format!("{ended:?}")
}

/// Ends with an open child of each policy.
#[workflow]
async fn leave(cx: &Context, fails: bool) -> Result<()> {
    let _ = cx.start_child(add_up(1)).id("ended");
    let _ = cx.start_child(add_up(1)).id("asked").on_parent_close(ParentClose::RequestCancel);
    let _ = cx.start_child(add_up(1)).id("left").on_parent_close(ParentClose::Abandon);
    cx.sleep(hours(1)).await;
    ensure!(!fails, "as it was told");
    Ok(())
}

/// Counts up to a limit, with one run per number.
#[workflow]
async fn count_up(cx: &Context, from: u32, until: u32) -> Result<u32> {
    if from == until {
        return Ok(from);
    }
    cx.sleep(seconds(1)).await;
    return cx.continue_as_new(count_up(from + 1, until));
}

/// Sums up signals, two in a run.
#[workflow]
async fn sum_in_parts(cx: &Context, mut sum: u32, left: u32) -> u32 {
    for part in 0..2 {
        if left == part {
            return sum;
        }
        sum += cx.signal::<Add>().await.0;
    }
    cx.continue_as_new(sum_in_parts(sum, left - 2))
}

#[workflow]
async fn parent_of_chain(cx: &Context) -> Result<u32> {
    Ok(cx.start_child(count_up(0, 3)).id("chain").await?)
}

/// Passes its child to its successor.
#[workflow]
async fn hand_over(cx: &Context, child: Option<ChildHandle<add_up>>) -> u32 {
    match child {
        None => {
            let child = cx.start_child(add_up(1));
            cx.continue_as_new(hand_over(Some(child)))
        }
        Some(child) => {
            cx.sleep(seconds(30)).await;
            child.signal(cx, Add(6));
            child.await.unwrap_or_default()
        }
    }
}

#[workflow]
async fn ask_to_cancel(cx: &Context, whom: String) {
    cx.cancel_run(whom, "by another run");
}

/// Awaits a child of another run.
#[workflow]
async fn await_bill(bill: ChildHandle<bill_customer>) -> u32 {
    bill.await.unwrap_or_default()
}

#[test]
fn a_handle_is_not_read_as_that_of_another_workflow() {
    let mut json = json!({
        "workflow": "add_up",
        "child": "019b0000-0000-7000-8000-000000000000",
        "workflow_id": "sum",
    });
    let handle: ChildHandle<add_up> = serde_json::from_value(json.clone()).unwrap();
    assert_eq!(serde_json::to_value(&handle).unwrap(), json);
    let error = serde_json::from_value::<ChildHandle<bill_customer>>(json.clone()).unwrap_err();
    assert_eq!(error.to_string(), "it is of `add_up`, not of `bill_customer`");
    json.as_object_mut().unwrap().remove("workflow");
    serde_json::from_value::<ChildHandle<add_up>>(json).unwrap_err();

    let payload = piton::codec::to_payload(&handle).unwrap();
    let same: ChildHandle<add_up> = piton::codec::from_payload(&payload).unwrap();
    assert_eq!(same.workflow_id(), "sum");
    let error = piton::codec::from_payload::<ChildHandle<bill_customer>>(&payload).unwrap_err();
    assert!(error.to_string().contains("it is of `add_up`, not of `bill_customer`"), "{error}");
}

#[test]
fn a_call_is_not_read_as_one_of_another_activity() {
    let call = piton::codec::to_payload(&echo("hello")).unwrap();
    drop(piton::codec::from_payload::<ActivityCall<echo>>(&call).unwrap());
    let other = piton::codec::from_payload::<ActivityCall<crate::activities::add>>(&call);
    let error = other.unwrap_err().to_string();
    assert!(error.contains("it is of `echo`, not of `add`"), "{error}");
}

#[tokio::test(start_paused = true)]
async fn a_handle_of_another_workflow_is_no_argument() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let handle = |workflow: &str| {
        let child = "0x019b0000000070008000000000000000";
        json!([{ "workflow": workflow, "child": child, "workflow_id": "sum" }])
    };
    let error = rig.client.start_json("await_bill", handle("add_up")).await.unwrap_err();
    let error = error.to_string();
    assert!(error.contains("expected one of `bill_customer`, found string \"add_up\""), "{error}");
    rig.client.start_json("await_bill", handle("bill_customer")).await.unwrap();
    worker.shutdown().await.unwrap();
}

fn names(count: usize) -> Vec<String> {
    (1..=count).map(|length| "x".repeat(length)).collect()
}

#[tokio::test(start_paused = true)]
async fn a_child_gives_its_result() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let run = rig.client.start(bill_one("ann".into())).await.unwrap();
    assert_eq!(run.result().await.unwrap(), 3);
    let children = rig.client.children(run.run_id(), 9).await.unwrap();
    let [child] = &children[..] else { panic!("one child: {children:?}") };
    assert_eq!((&*child.workflow_id, child.status), ("the-bill", Some(RunStatus::Completed)));
    let kin = rig.client.kin("the-bill").await.unwrap();
    assert_eq!(kin.parent, Some((run.run_id(), ParentClose::Terminate)));
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_child_fails_with_its_own_error() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let run = rig.client.start(bill_one(String::new())).await.unwrap();
    let Err(RunError::Failed(error)) = run.result().await else { panic!("it fails") };
    assert_eq!(error, "Failed(Nothing(\"\"))");
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn an_id_that_is_taken_is_an_error_at_the_child() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let holder = rig.client.start(add_up(1)).id("the-bill").await.unwrap();
    let run = rig.client.start(bill_one("ann".into())).await.unwrap();
    let Err(RunError::Failed(error)) = run.result().await else { panic!("it fails") };
    let expected =
        format!("IdTaken {{ workflow_id: \"the-bill\", run_id: {:?} }}", holder.run_id());
    assert_eq!(error, expected);
    assert_eq!(holder.status().await.unwrap().status, RunStatus::Running);
    worker.shutdown().await.unwrap();
}

#[workflow(id = "parcel-{number}")]
async fn send_parcel(cx: &Context, number: u32) -> u32 {
    cx.sleep(seconds(1)).await;
    number
}

#[workflow]
async fn send_twice(cx: &Context) -> (String, String) {
    let first = cx.start_child(send_parcel(7));
    let second = cx.start_child(send_parcel(7));
    let workflow_id = first.workflow_id().to_owned();
    let (first, second) = join!(first, second);
    (format!("{workflow_id}: {first:?}"), format!("{second:?}"))
}

#[tokio::test(start_paused = true)]
async fn the_arguments_of_a_child_make_its_id() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let (first, second) = rig.client.start(send_twice()).await.unwrap().result().await.unwrap();
    assert_eq!(first, "parcel-7: Ok(7)");
    assert!(second.starts_with("Err(IdTaken { workflow_id: \"parcel-7\""), "{second}");
    assert_eq!(rig.client.run::<send_parcel>("parcel-7").await.unwrap().result().await.unwrap(), 7);
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn children_are_kept_and_awaited_later() {
    for operation in ["relay_messages", "commit_steps"] {
        for happens in [false, true] {
            let rig = Rig::new();
            rig.store.set_hook(Failing::new(operation, 3, happens));
            let workers =
                [rig.worker().start().await.unwrap(), rig.remote_worker().start().await.unwrap()];
            let run = rig.client.start(bill_all(names(12))).await.unwrap();
            let together = rig.client.start(bill_together(names(30))).await.unwrap();
            assert_eq!(run.result().await.unwrap(), (1..=12).collect::<Vec<_>>());
            assert_eq!(together.result().await.unwrap(), (1..=30).collect::<Vec<_>>());
            for worker in workers {
                worker.shutdown().await.unwrap();
            }
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_parent_talks_to_its_child_and_awaits_it_twice() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let run = rig.client.start(talk_to_child()).await.unwrap();
    assert_eq!(run.result().await.unwrap(), (5, 5));
    let run = rig.client.start(wait_twice()).await.unwrap();
    assert_eq!(run.result().await.unwrap(), (4, 4));
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_child_is_cancelled_by_its_parent() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let run = rig.client.start(cancel_child()).await.unwrap();
    assert_eq!(run.result().await.unwrap(), "Err(Cancelled { reason: \"not needed\" })");
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn any_run_is_cancelled_by_workflow_id() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let run = rig.client.start(add_up(1)).id("somebody").await.unwrap();
    rig.client.start(ask_to_cancel("somebody".into())).await.unwrap();
    let Err(RunError::Cancelled { reason }) = run.result().await else { panic!("it is cancelled") };
    assert_eq!(reason, "by another run");
    worker.shutdown().await.unwrap();
}

/// For every way in which the parent may end.
#[tokio::test(start_paused = true)]
async fn children_are_dealt_with_when_their_parent_is_over() {
    for how in ["returns", "fails", "cancel", "terminate"] {
        let rig = Rig::new();
        let worker = rig.worker().start().await.unwrap();
        let run = rig.client.start(leave(how == "fails")).await.unwrap();
        rig.until_parked(&run).await;
        match how {
            "cancel" => run.cancel("enough").await.unwrap(),
            "terminate" => assert!(run.terminate("enough").await.unwrap()),
            _ => {}
        }
        let _ = run.result().await;
        let mut ends = BTreeMap::new();
        for id in ["ended", "asked"] {
            let child = rig.client.run::<add_up>(id).await.unwrap();
            ends.insert(id, child.result().await.map_err(|error| error.to_string()));
        }
        let because = format!("its parent, the run {}, is over", run.run_id());
        let ended = Err(format!("the run was terminated: {because}"));
        let asked = Err(format!("the run was cancelled: {because}"));
        assert_eq!(ends, BTreeMap::from([("ended", ended), ("asked", asked)]), "{how}");
        let left = rig.client.run::<add_up>("left").await.unwrap();
        assert_eq!(left.status().await.unwrap().status, RunStatus::Running);
        left.signal(Add(1)).await.unwrap();
        assert_eq!(left.result().await.unwrap(), 1);
        worker.shutdown().await.unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn a_run_continues_as_new() {
    for happens in [false, true] {
        let rig = Rig::new();
        rig.store.set_hook(Failing::new("commit_steps", 3, happens));
        let worker = rig.worker().start().await.unwrap();
        let run = rig.client.start(count_up(0, 4)).id("counter").await.unwrap();
        assert_eq!(run.result().await.unwrap(), 4);
        let chain = rig.client.chain("counter").await.unwrap();
        let statuses: Vec<_> = chain.iter().map(|run| run.status).collect();
        assert_eq!(statuses[..4], [RunStatus::ContinuedAsNew; 4]);
        assert_eq!(statuses[4..], [RunStatus::Completed]);
        assert_eq!(chain[0].run_id, run.run_id());
        assert!(chain[1..].iter().all(|run| run.link == Some(Link::Continued)));
        let Err(RunError::ContinuedAsNew { run_id }) = run.result_of_this_run().await else {
            panic!("it has continued")
        };
        assert_eq!(run_id, chain[1].run_id);
        worker.shutdown().await.unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn signals_go_over_to_the_run_that_follows() {
    let rig = Rig::new();
    let run = rig.client.start(sum_in_parts(0, 9)).id("summer").await.unwrap();
    for number in 1..=5 {
        run.signal(Add(number)).await.unwrap();
    }
    let worker = rig.worker().start().await.unwrap();
    rig.until(&run, |record| record.status == RunStatus::ContinuedAsNew).await;
    for number in 6..=9 {
        let run = rig.client.run::<sum_in_parts>("summer").await.unwrap();
        rig.until_parked(&run).await;
        run.signal(Add(number)).await.unwrap();
    }
    assert_eq!(run.result().await.unwrap(), 45);
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_chain_is_one_child() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let run = rig.client.start(parent_of_chain()).await.unwrap();
    assert_eq!(run.result().await.unwrap(), 3);
    assert_eq!(rig.client.chain("chain").await.unwrap().len(), 4);
    let last = rig.client.kin("chain").await.unwrap();
    assert_eq!(last.parent, Some((run.run_id(), ParentClose::Terminate)));
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn children_stay_with_the_chain_of_their_parent() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let run = rig.client.start(hand_over(None)).await.unwrap();
    assert_eq!(run.result().await.unwrap(), 6);
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_run_shows_the_child_that_it_waits_for() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let run = rig.client.start(parent_of_chain()).await.unwrap();
    rig.until_parked(&run).await;
    let inspection = rig.client.inspect(run.run_id()).await.unwrap();
    let position = inspection.position.expect("it is parked");
    assert_eq!(position.state, "count_up");
    let [wait] = &position.waits[..] else { panic!("one wait: {position:?}") };
    let WaitFor::Child { workflow_id, workflow, .. } = &wait.on else { panic!("{wait:?}") };
    assert_eq!((&**workflow_id, &**workflow), ("chain", "count_up"));
    worker.shutdown().await.unwrap();
}
