//! Attributes set by workflows, filters over variables, and changes of many runs.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use piton::Attributes;
use piton::error::{BulkError, StartError};
use piton::filter::{self, Column, Filter};
use piton::model::{AttributeError, AttributeValue, Memo};
use piton::prelude::*;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::activities::Approve;
use crate::rig::Rig;
use crate::workflows::chain;

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Order {
    customer: String,
    cents: i64,
}

#[derive(Attributes)]
struct Shipment {
    customer: String,
    cents: i64,
    #[attribute(text)]
    note: Option<String>,
    tags: Vec<String>,
    #[attribute(name = "order_state")]
    state: &'static str,
}

#[workflow]
async fn ships(cx: &Context, order: Order) -> String {
    let shipment = Shipment {
        customer: order.customer.clone(),
        cents: order.cents,
        note: Some("fragile".to_owned()),
        tags: vec!["a".to_owned(), "b".to_owned()],
        state: "open",
    };
    cx.set_attributes(shipment);
    let approval = cx.signal::<Approve>().await;
    cx.set_attributes(
        piton::model::AttributeChanges::new()
            .with("order_state", "shipped")
            .with("note", None::<String>),
    );
    assert!(order.cents >= 0, "both fields are needed here");
    format!("{} for {}", approval.by, order.customer)
}

#[derive(Attributes)]
struct Long {
    customer: String,
}

#[workflow]
async fn sets_too_long(cx: &Context) {
    cx.set_attributes(Long { customer: "x".repeat(2_000) });
    cx.sleep(hours(1)).await;
}

fn order(customer: &str, cents: i64) -> Order {
    Order { customer: customer.to_owned(), cents }
}

fn parse(text: &str) -> Filter {
    text.parse().unwrap_or_else(|error| panic!("{text}: {error}"))
}

impl Rig {
    /// Parked runs of `ships` with their workflow ids.
    async fn ship(&self, orders: &[(&str, i64)]) -> Vec<RunHandle<ships>> {
        let mut runs = Vec::new();
        for (index, (customer, cents)) in orders.iter().enumerate() {
            let start = self.client.start(ships(order(customer, *cents)));
            runs.push(start.id(format!("o-{index}")).await.unwrap());
        }
        for run in &runs {
            self.until_parked(run).await;
        }
        runs
    }

    async fn ids(&self, text: &str) -> Vec<String> {
        let page = self.client.list_runs(parse(text)).await.unwrap();
        let mut ids: Vec<_> = page.runs.into_iter().map(|run| run.workflow_id).collect();
        ids.sort_unstable();
        ids
    }
}

#[tokio::test(start_paused = true)]
async fn a_workflow_sets_attributes_with_its_steps() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let runs = rig.ship(&[("c-1", 100), ("c-2", 200)]).await;
    assert_eq!(rig.ids("customer = 'c-1' and tags = 'b'").await, ["o-0"]);
    assert_eq!(
        rig.ids("cents >= 100 and order_state = 'open' and note = 'fragile'").await.len(),
        2
    );
    runs[0].signal(Approve { by: "ada".to_owned() }).await.unwrap();
    assert_eq!(runs[0].result().await.unwrap(), "ada for c-1");
    assert_eq!(rig.ids("order_state = 'shipped' and note is null").await, ["o-0"]);
    let inspection = rig.client.inspect("o-0").await.unwrap();
    let state = AttributeValue::Keyword("shipped".to_owned());
    assert_eq!(inspection.attributes.get("order_state"), Some(&state));
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_run_that_sets_an_invalid_attribute_fails() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let run = rig.client.start(sets_too_long()).await.unwrap();
    let error = run.result().await.unwrap_err().to_string();
    assert!(error.contains("`customer` has 2000 bytes; the limit is 1000"), "{error}");
    assert!(run.status().await.unwrap().attributes.is_empty());
    worker.shutdown().await.unwrap();
}

#[workflow]
async fn notes(cx: &Context, bytes: usize) -> String {
    cx.set_memo([("stage", "begun")].into_iter().collect::<Memo>());
    let approval = cx.signal::<Approve>().await;
    cx.set_memo([("stage", "x".repeat(bytes))].into_iter().collect::<Memo>());
    cx.sleep(hours(1)).await;
    approval.by
}

#[tokio::test(start_paused = true)]
async fn a_workflow_replaces_its_memo() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let stage = |text: &str| [("stage", json!(text))].into_iter().collect::<Memo>();
    for (bytes, last) in [(3, stage("xxx")), (Memo::MAX_BYTES, stage("begun"))] {
        let started = stage("new");
        let run = rig.client.start(notes(bytes)).memo(started).await.unwrap();
        rig.until_parked(&run).await;
        assert_eq!(run.status().await.unwrap().memo, stage("begun"));
        run.signal(Approve { by: "Ann".to_owned() }).await.unwrap();
        let result = run.result().await;
        assert_eq!(result.is_ok(), bytes == 3, "{result:?}");
        assert_eq!(run.status().await.unwrap().memo, last);
    }
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_run_is_started_with_attributes_and_a_memo() {
    let rig = Rig::new();
    let memo: Memo = [("item", json!("a \"thing\""))].into_iter().collect();
    let start = rig.client.start(ships(order("c-1", 1))).id("o");
    start.attributes(Long { customer: "c-9".into() }).memo(memo.clone()).await.unwrap();
    assert_eq!(rig.ids("customer = 'c-9'").await, ["o"]);
    let page = rig.client.list_runs(Filter::all()).await.unwrap();
    assert_eq!(page.runs[0].memo, memo);
    let long = Long { customer: "x".repeat(1_001) };
    let error = rig.client.start(ships(order("c", 1))).attributes(long).await.unwrap_err();
    assert!(matches!(error, StartError::Attributes(AttributeError::Long { bytes: 1_001, .. })));
    let memo: Memo = [("item", json!("x".repeat(Memo::MAX_BYTES)))].into_iter().collect();
    let error = rig.client.start(ships(order("c", 1))).memo(memo).await.unwrap_err();
    assert!(matches!(error, StartError::Memo { .. }), "{error}");
    assert_eq!(rig.client.count(Filter::all()).await.unwrap(), 1);
}

#[tokio::test(start_paused = true)]
async fn variables_are_read_by_their_recorded_schemas() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    rig.ship(&[("c-1", 100), ("c-2", 200), ("c-3", 300)]).await;
    assert_eq!(rig.ids("var.order.cents > 100").await, ["o-1", "o-2"]);
    assert_eq!(rig.ids("var.order.customer = 'c-1' or customer = 'c-3'").await, ["o-0", "o-2"]);
    assert_eq!(rig.ids("not var.order.cents > 100").await, ["o-0"]);
    assert_eq!(rig.ids("var.order.weight > 0 or not var.order.weight > 0").await.len(), 0);
    assert_eq!(rig.ids("var.order.weight is null and var.order.customer like 'c%'").await.len(), 3);
    // In pages, and counted.
    let filter = filter::variable("order.cents").above(100);
    let page = rig.client.list_runs(&filter).limit(1).await.unwrap();
    let next = rig.client.list_runs(&filter).limit(5).page(page.next.unwrap()).await.unwrap();
    assert_eq!((page.runs.len(), next.runs.len(), next.next), (1, 1, None));
    assert_eq!(rig.client.count(&filter).await.unwrap(), 2);
    let counts = rig.client.count(&filter).group_by(Column::WorkflowId).await.unwrap();
    assert_eq!(counts.len(), 2);
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn many_runs_are_signalled_once_each() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let runs = rig.ship(&[("c-1", 1), ("c-1", 2), ("c-2", 3)]).await;
    let of = || filter::attribute("customer").equals("c-1");
    let approve = || Approve { by: "ann".to_owned() };
    let unsigned = rig.client.signal_all(of(), approve()).await.unwrap_err();
    assert!(matches!(unsigned, BulkError::Unsigned));
    let dry = rig.client.signal_all(of(), approve()).dry_run().await.unwrap();
    assert_eq!((dry.changed, dry.is_over), (2, true));
    let signal = || rig.client.signal_all(of(), approve()).by("ann").because("late").key("k-1");
    let first = signal().limit(1).await.unwrap();
    assert_eq!((first.changed, first.is_over), (1, false));
    let rest = signal().after(first.last.unwrap()).await.unwrap();
    assert_eq!((rest.changed, rest.is_over), (1, true));
    for run in &runs[..2] {
        assert_eq!(run.result().await.unwrap(), "ann for c-1");
        let entries = rig.client.audit(run.run_id(), 10).await.unwrap();
        assert_eq!((entries.len(), &*entries[0].entry.action), (1, "signal"));
        assert!(entries[0].entry.details.as_ref().unwrap().contains("customer = 'c-1'"));
    }
    assert_eq!(runs[2].status().await.unwrap().status, RunStatus::Running);
    assert!(rig.client.audit(runs[2].run_id(), 10).await.unwrap().is_empty());
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_signal_that_a_workflow_cannot_take_is_sent_to_none_of_its_runs() {
    let rig = Rig::new();
    rig.client.start(ships(order("c-1", 1))).id("o-0").await.unwrap();
    rig.client.start(ships(order("c-2", 1))).id("o-1").await.unwrap();
    rig.client.start(chain(1)).id("f-0").await.unwrap();
    let approve = json!({ "by": "ann" });
    for (name, value, reason) in [
        ("Approve", json!({ "by": 5 }), "the value does not fit the signal `Approve`"),
        ("Aprove", approve.clone(), "the workflow `ships` never waits for the signal `Aprove`"),
    ] {
        let signal = rig.client.signal_all_json(Filter::all(), name, &value);
        let done = signal.by("ann").because("late").await.unwrap();
        assert_eq!((done.matched, done.changed, done.left), (3, 0, 3));
        assert!(done.refusals.iter().any(|refusal| refusal.contains(reason)), "{done:?}");
    }
    let signal = || rig.client.signal_all_json(Filter::all(), "Approve", &approve);
    let dry = signal().dry_run().await.unwrap();
    let done = signal().by("ann").because("late").await.unwrap();
    for done in [dry, done] {
        assert_eq!((done.changed, done.left), (2, 1));
        assert!(done.refusals[0].contains("the workflow `chain` never waits"), "{done:?}");
    }
    for (id, unread) in [("o-0", 1), ("o-1", 1), ("f-0", 0)] {
        assert_eq!(rig.client.inspect(id).await.unwrap().unread_count, unread, "{id}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_repeated_change_sends_nothing_twice() {
    let rig = Rig::new();
    let run = rig.client.start(ships(order("c-1", 1))).id("o-0").await.unwrap();
    for changed in [1, 0] {
        let signal = rig.client.signal_all(Filter::all(), Approve { by: "ann".to_owned() });
        let done = signal.by("ann").because("late").key("k-1").await.unwrap();
        assert_eq!((done.matched, done.changed, done.left), (1, changed, 1 - changed));
    }
    assert_eq!(rig.client.inspect(run.run_id()).await.unwrap().unread_count, 1);
}

#[tokio::test(start_paused = true)]
async fn many_runs_are_terminated_at_a_rate_and_deleted() {
    let rig = Rig::new();
    for index in 0..10 {
        rig.client.start(ships(order("c", index))).await.unwrap();
    }
    let began = tokio::time::Instant::now();
    let told = Arc::new(Mutex::new(Vec::new()));
    let tell = told.clone();
    let terminate = rig.client.terminate_all(Filter::all()).by("ann").because("enough").rate(2);
    let done = terminate.on_progress(move |done| tell.lock().unwrap().push(done.changed));
    assert_eq!(done.await.unwrap().changed, 10);
    assert!(began.elapsed() >= Duration::from_millis(4_500), "{:?}", began.elapsed());
    assert_eq!(*told.lock().unwrap(), [2, 4, 6, 8, 10, 10]);
    let counts = rig.client.count(Filter::all()).group_by(Column::Status).await.unwrap();
    assert_eq!((counts[0].key.as_deref(), counts[0].runs), (Some("terminated"), 10));
    let open = rig.client.start(ships(order("c", 1))).await.unwrap();
    let page = rig.client.list_runs(parse("status = 'terminated'")).limit(1).await.unwrap();
    let one = page.runs[0].run_id;
    let deleted = rig.client.delete(one).by("ann").because("asked").await.unwrap();
    assert_eq!(deleted.changed, 1);
    assert!(rig.client.find(one).await.unwrap().is_none());
    assert_eq!(rig.client.delete(open.run_id()).by("a").because("b").await.unwrap().changed, 0);
    let all = rig.client.delete_all(Filter::all()).by("ann").because("old").await.unwrap();
    assert_eq!(all.changed, 9);
    assert_eq!(rig.client.count(Filter::all()).await.unwrap(), 1);
}

#[tokio::test(start_paused = true)]
async fn many_runs_are_cancelled_and_tried_again() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let runs = rig.ship(&[("c-1", 1), ("c-2", 2)]).await;
    let cancel = rig.client.cancel_all(parse("customer = 'c-1'")).by("ann").because("no more");
    assert_eq!(cancel.await.unwrap().changed, 1);
    let error = runs[0].result().await.unwrap_err();
    assert!(matches!(error, RunError::Cancelled { reason } if reason == "no more"));
    let whole = rig.spoil(&runs[1]);
    runs[1].signal(Approve { by: "ada".to_owned() }).await.unwrap();
    rig.until_blocked(&runs[1]).await;
    rig.store.overwrite_snapshot(runs[1].run_id(), whole);
    let retry = rig.client.retry_all(parse("blocked_kind = 'undecodable'"));
    assert_eq!(retry.by("ann").because("mended").await.unwrap().changed, 1);
    assert_eq!(runs[1].result().await.unwrap(), "ada for c-2");
    worker.shutdown().await.unwrap();
}
