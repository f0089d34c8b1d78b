//! Reuse of workflow ids, and repeated starts.

use std::future::IntoFuture as _;

use futures_util::future::join_all;
use piton::error::{RunError, StartError};
use piton::prelude::*;

use crate::rig::Rig;
use crate::workflows::{long_wait, naps, work};

#[tokio::test(start_paused = true)]
async fn a_workflow_id_is_used_again_as_the_policy_says() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let completed = rig.client.start(naps(1, 1)).id("completed").await.unwrap();
    completed.result().await.unwrap();
    let ended = rig.client.start(long_wait()).id("ended").await.unwrap();
    ended.terminate("enough").await.unwrap();
    for (id, reuse, is_allowed) in [
        ("completed", IdReuse::AfterFailure, false),
        ("completed", IdReuse::Reject, false),
        ("ended", IdReuse::Reject, false),
        ("ended", IdReuse::AfterFailure, true),
        ("new", IdReuse::Reject, true),
        ("completed", IdReuse::Allow, true),
    ] {
        let started = rig.client.start(naps(1, 1)).id(id).id_reuse(reuse).await;
        match started {
            Ok(run) => {
                assert!(is_allowed, "{id} {reuse:?}");
                run.result().await.unwrap();
            }
            Err(StartError::IdUsed { workflow_id, .. }) => {
                assert!(!is_allowed && workflow_id == id, "{id} {reuse:?}");
            }
            Err(error) => panic!("{error}"),
        }
    }
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn an_open_run_makes_room() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let first = rig.client.start(long_wait()).id("one").await.unwrap();
    rig.until_parked(&first).await;
    let start = rig.client.start(work("echo".to_owned())).id("one");
    let second = start.on_conflict(OnConflict::TerminateExisting).await.unwrap();
    let error = first.result().await.unwrap_err();
    assert!(matches!(error, RunError::Terminated { .. }), "{error:?}");
    second.result().await.unwrap();
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn of_ten_starters_one_is_the_last_that_makes_room() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let start =
        || rig.client.start(long_wait()).id("one").on_conflict(OnConflict::TerminateExisting);
    let runs: Vec<_> = join_all((0..10).map(|_| start().into_future()))
        .await
        .into_iter()
        .map(Result::unwrap)
        .collect();
    let mut open = 0;
    for run in &runs {
        open += usize::from(run.status().await.unwrap().status.is_open());
    }
    assert_eq!(open, 1);
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_start_that_is_repeated_starts_one_run() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let start = |request: &str| rig.client.start(naps(1, 1)).request_id(request);
    let first = start("r-1").await.unwrap();
    assert_eq!(first.result().await.unwrap(), 1);
    // Also when it is over.
    assert_eq!(start("r-1").await.unwrap().run_id(), first.run_id());
    assert_ne!(start("r-2").await.unwrap().run_id(), first.run_id());
    let named = |request: &str| start(request).id("named");
    // At the same time.
    let (one, two) = tokio::join!(named("r-0").into_future(), named("r-0").into_future());
    let (one, two) = (one.unwrap(), two.unwrap());
    assert_eq!(one.run_id(), two.run_id());
    assert_eq!(two.result().await.unwrap(), 1);
    let one = named("r-1").await.unwrap();
    assert_ne!(one.run_id(), first.run_id());
    assert_eq!(named("r-1").await.unwrap().run_id(), one.run_id());
    let error = start("").await.unwrap_err();
    assert!(matches!(error, StartError::RequestId(_)), "{error:?}");
    worker.shutdown().await.unwrap();
}
