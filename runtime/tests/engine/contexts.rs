//! The context of an attempt.

use piton::error::RunError;
use piton::model::RunStatus;
use piton::prelude::*;

use crate::activities::Lab;
use crate::rig::Rig;

/// Records its attempts by the call's key and the workflow id. Fails once, or waits for the gate.
#[activity(retry(initial = "1s"))]
async fn seal(cx: &ActivityContext, what: &str) -> Result<String, String> {
    let (lab, key) = (cx.dependency::<Lab>(), cx.idempotency_key());
    lab.begin(cx, &format!("{} {key}", cx.info().workflow_id));
    match (what, cx.info().attempt) {
        ("hang", _) => lab.pass_gate().await,
        (_, 1) => return Err("once more".into()),
        _ => {}
    }
    Ok(key)
}

#[workflow]
async fn seals(what: String) -> Vec<String> {
    let mut keys = Vec::new();
    for is_far in [false, true, false] {
        let call = if is_far { seal(&what).queue("far") } else { seal(&what) };
        keys.push(call.await.unwrap_or_default());
    }
    keys
}

/// A dependency that activities request from their worker.
struct Press;

#[activity(retry(max_attempts = 2))]
async fn print(cx: &ActivityContext) -> u32 {
    cx.dependency::<Lab>().begin(cx, "print");
    cx.dependency::<Press>();
    1
}

#[activity(queue = "far", retry(max_attempts = 2))]
async fn try_print(cx: &ActivityContext) -> Result<u32, String> {
    cx.dependency::<Lab>().begin(cx, "try_print");
    cx.dependency::<Press>();
    Ok(1)
}

#[workflow]
async fn leaflet() -> u32 {
    print().await
}

#[workflow]
async fn far_leaflet() -> Result<u32, String> {
    try_print().await.map_err(|error| error.to_string())
}

/// The error says what is missing and what to do, in each attempt, because another worker may have it.
#[tokio::test(start_paused = true)]
async fn a_dependency_that_is_missing_is_named() {
    let rig = Rig::new();
    let worker = rig.worker().queue("far").start().await.unwrap();
    let missing = |activity: &str| {
        format!(
            "activity `{activity}` needs a `engine::contexts::Press`, which the worker was not \
             given; add `.provide(…)` when building the worker"
        )
    };
    let run = rig.client.start(leaflet()).await.unwrap();
    let Err(RunError::Uncaught { reason }) = run.result().await else { panic!("it fails") };
    assert_eq!(reason, format!("activity `print` panicked: {}", missing("print")));
    let record = run.status().await.unwrap();
    assert_eq!((record.status, record.failure), (RunStatus::Failed, Some(reason)));
    let run = rig.client.start(far_leaflet()).await.unwrap();
    let error = run.result().await.unwrap_err();
    assert_eq!(error.to_string(), format!("the activity panicked: {}", missing("try_print")));
    assert_eq!((rig.lab.begun("print"), rig.lab.begun("try_print")), (vec![1, 2], vec![1, 2]));
    worker.shutdown().await.unwrap();
    let worker = rig.worker().queue("far").provide(Press).start().await.unwrap();
    assert_eq!(rig.client.start(leaflet()).await.unwrap().result().await.unwrap(), 1);
    assert_eq!(rig.client.start(far_leaflet()).await.unwrap().result().await.unwrap(), 1);
    worker.shutdown().await.unwrap();
}

/// All attempts of a call have the same key, with or without a queue, and different calls have different keys.
#[tokio::test(start_paused = true)]
async fn the_key_is_that_of_the_call() {
    let rig = Rig::new();
    let worker = rig.worker().queue("far").start().await.unwrap();
    let mut keys = Vec::new();
    for id in ["one", "two"] {
        let run = rig.client.start(seals("twice".into())).id(id).await.unwrap();
        for key in run.result().await.unwrap() {
            assert_eq!(rig.lab.begun(&format!("{id} {key}")), [1, 2]);
            keys.push(key);
        }
    }
    keys.sort_unstable();
    keys.dedup();
    assert_eq!(keys.len(), 6, "{keys:?}");
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn the_key_outlives_the_worker() {
    let rig = Rig::new();
    let run = rig.client.start(seals("hang".into())).id("one").await.unwrap();
    let mut worker = rig.remote_worker().queue("far").start().await.unwrap();
    // The calls run one after the other: in the owner, on the queue, and in the owner again.
    for begun in 1..=3 {
        rig.until_true(|| rig.lab.attempts() == 2 * begun - 1).await;
        drop(worker);
        worker = rig.remote_worker().queue("far").start().await.unwrap();
        rig.until_true(|| rig.lab.attempts() == 2 * begun).await;
        rig.lab.open_gate();
    }
    for key in run.result().await.unwrap() {
        assert_eq!(rig.lab.begun(&format!("one {key}")), [1, 2]);
    }
    worker.shutdown().await.unwrap();
}
