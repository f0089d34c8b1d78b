//! What an attempt is told of its call.

use piton::prelude::*;

use crate::activities::Lab;
use crate::rig::Rig;

/// Notes its attempts under the call's key, together with the workflow id. Fails once, or waits for the
/// gate.
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

/// The same for every attempt, here or on a queue, and no two calls have the same.
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
    // One call after the other: here, on the queue, and here again.
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
