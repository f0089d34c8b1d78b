//! Starts and signals of programs that do not have the code.

use std::time::Duration;

use piton::client::OnConflict;
use piton::error::{RunError, SignalError, StartError};
use piton::model::Memo;
use piton::prelude::*;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::activities::Approve;
use crate::rig::Rig;
use crate::workflows::approval;

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Parcel {
    sku: String,
    grams: u32,
}

#[workflow]
async fn delivery(cx: &Context, parcel: Parcel, express: bool) -> String {
    let approve = cx.signal::<Approve>().await;
    format!("{} {} g {express} {}", parcel.sku, parcel.grams, approve.by)
}

async fn refused(rig: &Rig, arguments: Value) -> String {
    match rig.client.start_json("delivery", arguments).await.unwrap_err() {
        StartError::JsonArguments { workflow, reason } => {
            assert_eq!(workflow, "delivery");
            reason
        }
        error => panic!("{error}"),
    }
}

#[tokio::test(start_paused = true)]
async fn a_run_is_started_and_signalled_by_names() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let parcel = json!({ "sku": "a-1", "grams": 20 });
    let memo: Memo = [("by", "cli")].into_iter().collect();
    let start = rig.client.start_json("delivery", json!([parcel, true])).id("one");
    let run = start.start_delay(Duration::from_secs(5)).memo(memo).await.unwrap();
    assert_eq!(run.status().await.unwrap().workflow_id, "one");
    let named = json!({ "express": false, "parcel": parcel });
    let again = rig.client.start_json("delivery", named.clone()).id("one");
    let error = again.clone().await.unwrap_err();
    assert!(matches!(error, StartError::AlreadyStarted { .. }), "{error}");
    let existing = again.on_conflict(OnConflict::UseExisting).await.unwrap();
    assert_eq!(existing.status().await.unwrap().run_id, run.status().await.unwrap().run_id);
    rig.client.start(approval(10)).id("two").await.unwrap();
    let taken = rig.client.start_json("delivery", named.clone()).id("two");
    let error = taken.on_conflict(OnConflict::UseExisting).await.unwrap_err();
    assert!(error.to_string().ends_with(" of `approval`"), "{error}");
    let other = rig.client.start_json("delivery", named).await.unwrap();
    for run in [&run, &other] {
        run.signal("Approve", &json!({ "by": "ann" })).await.unwrap();
    }
    assert_eq!(run.result().await.unwrap(), json!("a-1 20 g true ann"));
    assert_eq!(other.result().await.unwrap(), json!("a-1 20 g false ann"));
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_run_started_by_name_has_its_terms() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let arguments = json!([{ "sku": "a-1", "grams": 20 }, true]);
    let start = rig.client.start_json("delivery", arguments).run_timeout(Duration::from_secs(60));
    let ended = start.await.unwrap().result().await;
    assert!(matches!(ended, Err(RunError::TimedOut { .. })), "{ended:?}");
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn what_does_not_fit_is_refused_and_nothing_is_written() {
    let rig = Rig::new();
    let parcel = json!({ "sku": "a-1", "grams": 20 });
    let reason = refused(&rig, json!([parcel])).await;
    assert_eq!(reason, "1 arguments are given, and its parameters are (parcel, express)");
    let reason = refused(&rig, json!({ "parcel": parcel })).await;
    assert!(reason.starts_with("the parameter `express` is missing"), "{reason}");
    let reason = refused(&rig, json!({ "parcel": parcel, "express": true, "x": 1 })).await;
    assert!(reason.starts_with("it has no parameter `x`"), "{reason}");
    let reason = refused(&rig, json!([{ "sku": "a-1", "grams": -1 }, true])).await;
    assert!(reason.starts_with("`parcel: Parcel`") && reason.contains("grams"), "{reason}");
    let reason = refused(&rig, json!("a-1")).await;
    assert!(reason.starts_with("they are neither"), "{reason}");
    let error = rig.client.start_json("deliveries", json!([])).await.unwrap_err();
    assert!(
        matches!(&error, StartError::UnknownWorkflow { workflow, .. } if workflow == "deliveries")
    );
    assert!(rig.client.list_runs(piton::filter::Filter::default()).await.unwrap().runs.is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_signal_that_does_not_fit_is_refused() {
    let rig = Rig::new();
    let parcel = Parcel { sku: "a-1".into(), grams: 20 };
    let run = rig.client.start(delivery(parcel, true)).id("one").await.unwrap();
    let untyped = rig.client.by_id("one");
    let error = untyped.signal("Approve", &json!({ "by": 7 })).await.unwrap_err();
    let SignalError::Unfit { signal, reason } = &error else { panic!("{error}") };
    assert!(signal == "Approve" && reason.contains("by"), "{error}");
    let error = untyped.signal("Approval", &json!({ "by": "ann" })).await.unwrap_err();
    assert!(matches!(error, SignalError::NotAwaited { .. }), "{error}");
    let error = run.signal(Unheard { by: "ann".into() }).await.unwrap_err();
    assert!(matches!(error, SignalError::NotAwaited { .. }), "{error}");
    assert_eq!(rig.client.inspect("one").await.unwrap().unread_count, 0);
    untyped.signal("Approve", &json!({ "by": "ann" })).await.unwrap();
    assert_eq!(rig.client.inspect("one").await.unwrap().unread_count, 1);
}

#[derive(Signal, Serialize, Deserialize)]
struct Unheard {
    by: String,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Batch {
    #[serde(rename = "part")]
    number: i64,
    #[serde(rename = "number")]
    part: u8,
    first_name: Name,
    pair: (char, i128),
    is_urgent: bool,
    #[serde(with = "as_text")]
    weight: u32,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Name(String);

impl std::fmt::Display for Name {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "the name {}", self.0)
    }
}

mod as_text {
    use serde::{Deserialize, Deserializer, Serializer};

    pub fn serialize<S: Serializer>(number: &u32, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(&format_args!("{number} g"))
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<u32, D::Error> {
        let text = String::deserialize(from)?;
        Ok(text.trim_end_matches(" g").parse().unwrap_or_default())
    }
}

#[workflow(
    id = "{{x}}-{size}/{batch.number}.{batch.part}-{batch.first_name.0}-{batch.pair.0}{batch.pair.1}-{batch.is_urgent}"
)]
async fn packing(cx: &Context, batch: Batch, size: u128) {
    let approve = cx.signal::<Approve>().await;
    let _ = (batch, size, approve);
}

#[workflow(id = "{name}")]
async fn named(cx: &Context, mut name: String) -> String {
    name.push('!');
    name + &cx.signal::<Approve>().await.by
}

#[workflow(id = "one of {batch.first_name}")]
async fn by_display(cx: &Context, batch: Batch) {
    let approve = cx.signal::<Approve>().await;
    let _ = (batch, approve);
}

#[workflow(id = "{batch.weight}")]
async fn by_weight(cx: &Context, batch: Batch) {
    let approve = cx.signal::<Approve>().await;
    let _ = (batch, approve);
}

fn batch() -> Batch {
    Batch {
        number: -7,
        part: 3,
        first_name: Name("Ann".into()),
        pair: ('ä', -40_000_000_000),
        is_urgent: true,
        weight: 20,
    }
}

fn batch_as_json() -> Value {
    json!({
        "part": -7,
        "number": 3,
        "firstName": "Ann",
        "pair": ["ä", -40_000_000_000_i64],
        "isUrgent": true,
        "weight": "20 g",
    })
}

#[tokio::test(start_paused = true)]
async fn a_start_without_code_has_the_id_that_the_code_derives() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let run = rig.client.start(packing(batch(), 10_000_000_000)).await.unwrap();
    let id = "{x}-10000000000/-7.3-Ann-ä-40000000000-true";
    assert_eq!(run.workflow_id(), id);
    let arguments = json!([batch_as_json(), 10_000_000_000_u64]);
    let again = rig.client.start_json("packing", arguments.clone());
    let error = again.clone().await.unwrap_err();
    let StartError::AlreadyStarted { workflow_id, run_id, .. } = error else { panic!("{error}") };
    assert_eq!((&*workflow_id, run_id), (id, run.run_id()));
    let other = again.id("other").await.unwrap();
    assert_eq!(other.status().await.unwrap().workflow_id, "other");
    run.terminate("it is to be started again").await.unwrap();
    let again = rig.client.start_json("packing", arguments).await.unwrap();
    assert_eq!(again.status().await.unwrap().workflow_id, id);

    // A request is the same one, wherever it is made.
    let request = rig.client.start(named("ann".to_owned())).request_id("r1").await.unwrap();
    let same = rig.client.start_json("named", json!(["ann"])).request_id("r1").await.unwrap();
    assert_eq!(same.status().await.unwrap().run_id, request.run_id());
    let error = rig.client.start_json("named", json!({ "name": "" })).await.unwrap_err();
    assert!(matches!(error, StartError::WorkflowId(_)), "{error}");
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn an_id_that_only_the_code_can_derive_must_be_given() {
    let rig = Rig::new();
    let run = rig.client.start(by_display(batch())).await.unwrap();
    assert_eq!(run.workflow_id(), "one of the name Ann");
    let arguments = json!([batch_as_json()]);
    for (workflow, placeholder) in
        [("by_display", "{batch.first_name}"), ("by_weight", "{batch.weight}")]
    {
        let start = rig.client.start_json(workflow, arguments.clone());
        let error = start.clone().await.unwrap_err();
        assert!(matches!(error, StartError::NoWorkflowId { .. }), "{error}");
        assert!(error.to_string().contains(placeholder), "{error}");
        let run = start.id(workflow).await.unwrap();
        assert_eq!(run.status().await.unwrap().workflow_id, workflow);
    }
}
