//! The heartbeat details and the token of an attempt whose worker is killed.

use std::time::Duration;

use piton::prelude::*;
use piton_crash_tests::ledger;
use piton_crash_tests::progress::{Drawer, TOP, ascent, question};
use serde_json::json;

use crate::scene::{PATIENCE, Scene, wait_until};

/// Longer than any test, so that no takeover is due to an expired lease.
const LEASE: Duration = Duration::from_secs(600);

/// An activity without a queue: the next attempt, in another process, gets the details of the last one, if they were
/// sent at least a third of the heartbeat timeout before the kill.
pub(crate) async fn what_heartbeats_said_outlives_a_killed_worker(mut scene: Scene) {
    let doomed = scene.worker("doomed", LEASE).await;
    let run = scene.client.start(ascent(40)).await.expect("it can be started");
    let drawer = Drawer::new(scene.folder.path());
    wait_until("it is at the top", async || drawer.look(TOP).is_some()).await;
    // A write in progress may have older details.
    let writes = async || run.status().await.expect("it is there").step_no.0;
    let enough = writes().await + 2;
    wait_until("it is written", async || writes().await >= enough).await;
    doomed.kill().await;
    let heir = scene.worker("heir", LEASE).await;
    let result = tokio::time::timeout(PATIENCE, run.result()).await.expect("in time");
    let told = result.expect("it completes");
    assert!(told >= 40, "the second attempt was told of {told}");
    let calls = ledger::read(scene.folder.path()).expect("a readable ledger");
    for (key, call) in calls {
        assert_eq!((call.began, call.returned), (vec![1, 2], vec![2]), "{key}");
    }
    scene.audit.check_steps().await;
    heir.leave().await;
}

/// The worker of the attempt dies; another program uses the token while no worker runs, and a third process continues
/// the run.
pub(crate) async fn a_token_outlives_a_killed_worker(mut scene: Scene) {
    let drawer = Drawer::new(scene.folder.path());
    let doomed = scene.worker("doomed", LEASE).await;
    let mut runs = Vec::new();
    for name in ["first", "second"] {
        let run = scene.client.start(question(name.to_owned())).await.expect("it can be started");
        wait_until("it has left its token", async || drawer.look(name).is_some()).await;
        // In one case, do not wait until the worker has written that the attempt continues.
        if name == "first" {
            wait_until("it is nobody's", async || {
                run.status().await.expect("it is there").owner.is_none()
            })
            .await;
        }
        runs.push(run);
    }
    doomed.kill().await;
    let client = Client::connect(&scene.url).await.expect("the server is there");
    for name in ["first", "second"] {
        let token = drawer.look(name).expect("it was left");
        client.complete_activity_json(token, &json!({ "Ok": name })).await.expect("it is taken");
        client.complete_activity_json(token, &json!({ "Ok": "late" })).await.expect("known");
    }
    let heir = scene.worker("heir", LEASE).await;
    for (name, run) in ["first", "second"].into_iter().zip(runs) {
        let result = tokio::time::timeout(PATIENCE, run.result()).await.expect("in time");
        assert_eq!(result.expect("it completes"), name);
    }
    for (key, call) in ledger::read(scene.folder.path()).expect("a readable ledger") {
        assert_eq!(call.began, [1], "{key}");
    }
    scene.audit.check_steps().await;
    heir.leave().await;
}
