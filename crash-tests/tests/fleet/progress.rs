//! What an attempt has said of itself, and its token, when its worker is killed.

use std::time::Duration;

use piton::prelude::*;
use piton_crash_tests::ledger;
use piton_crash_tests::progress::{Drawer, TOP, ascent, question};
use serde_json::json;

use crate::scene::{PATIENCE, Scene, wait_until};

/// Longer than any test: what goes on here is not owed to a lease.
const LEASE: Duration = Duration::from_secs(600);

/// An activity without a queue: the next attempt, in another process, knows how far the last one has
/// come, if it was said a third of the limit for silence ago or earlier.
pub(crate) async fn what_heartbeats_said_outlives_a_killed_worker(mut scene: Scene) {
    let doomed = scene.worker("doomed", LEASE).await;
    let run = scene.client.start(ascent(40)).await.expect("it can be started");
    let drawer = Drawer::new(scene.folder.path());
    wait_until("it is at the top", async || drawer.look(TOP).is_some()).await;
    // What is being written by now may have been said before that.
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

/// The worker that has given its token away dies; another program uses the token while no worker
/// lives, and a third process goes on with the run.
pub(crate) async fn a_token_outlives_a_killed_worker(mut scene: Scene) {
    let drawer = Drawer::new(scene.folder.path());
    let doomed = scene.worker("doomed", LEASE).await;
    let mut runs = Vec::new();
    for name in ["first", "second"] {
        let run = scene.client.start(question(name.to_owned())).await.expect("it can be started");
        wait_until("it has left its token", async || drawer.look(name).is_some()).await;
        // Whether the worker has written that the attempt goes on is not to matter in one of them.
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
