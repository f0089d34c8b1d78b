//! Old runs are removed by workers.

use std::time::Duration;

use piton::error::RunError;
use piton::model::{PromiseToken, RunStatus};
use piton::prelude::*;
use piton::worker::Retention;

use crate::rig::Rig;

#[workflow]
async fn comes_to_an_end(_cx: &Context) -> u64 {
    7
}

#[workflow]
async fn goes_on_for_days(cx: &Context) {
    cx.sleep(days(30)).await;
}

async fn is_there<W: piton::machine::Workflow>(rig: &Rig, run: &RunHandle<W>) -> bool {
    rig.client.find(run.run_id()).await.unwrap().is_some()
}

#[tokio::test(start_paused = true)]
async fn a_worker_removes_runs_that_closed_long_ago() {
    let rig = Rig::new();
    let worker = rig.worker().retention(Retention::of_all(hours(1))).start().await.unwrap();
    let over = rig.client.start(comes_to_an_end()).await.unwrap();
    let open = rig.client.start(goes_on_for_days()).await.unwrap();
    assert_eq!(over.result().await.unwrap(), 7);
    tokio::time::sleep(Duration::from_secs(50 * 60)).await;
    assert!(is_there(&rig, &over).await);
    tokio::time::sleep(Duration::from_secs(12 * 60)).await;
    assert_eq!((is_there(&rig, &over).await, is_there(&rig, &open).await), (false, true));
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_workflow_may_have_an_age_of_its_own_or_be_kept() {
    let rig = Rig::new();
    let kept = Retention::of_all(minutes(5)).for_ever("comes_to_an_end");
    let worker = rig.worker().retention(kept).start().await.unwrap();
    let run = rig.client.start(comes_to_an_end()).await.unwrap();
    run.result().await.unwrap();
    tokio::time::sleep(minutes(20)).await;
    assert!(is_there(&rig, &run).await);
    worker.shutdown().await.unwrap();
    let own = Retention::new().of("comes_to_an_end", minutes(10));
    let worker = rig.worker().retention(own).start().await.unwrap();
    tokio::time::sleep(Duration::from_secs(2 * 60)).await;
    assert!(!is_there(&rig, &run).await);
    worker.shutdown().await.unwrap();
}

#[workflow]
async fn comes_to_nothing(_cx: &Context) -> Result<u64, String> {
    Err("no luck".to_owned())
}

/// The result of a run is removed before the run, and a wait for it returns an error that says so.
#[tokio::test(start_paused = true)]
async fn results_may_go_before_their_runs() {
    let rig = Rig::new();
    let kept = Retention::new().payloads_of_all(hours(1)).keys_of_all(hours(1));
    let worker = rig.patient_worker().retention(kept).start().await.unwrap();
    let completed = rig.client.start(comes_to_an_end()).id("completed").await.unwrap();
    let failed = rig.client.start(comes_to_nothing()).await.unwrap();
    assert_eq!(completed.result().await.unwrap(), 7);
    assert!(matches!(failed.result().await, Err(RunError::Failed(_))));
    tokio::time::sleep(Duration::from_secs(50 * 60)).await;
    assert_eq!(completed.result().await.unwrap(), 7);
    tokio::time::sleep(Duration::from_secs(12 * 60)).await;
    let gone = completed.result().await.unwrap_err();
    assert!(matches!(gone, RunError::ResultRemoved { run_id } if run_id == completed.run_id()));
    let gone = failed.result_of_this_run().await.unwrap_err();
    assert!(matches!(gone, RunError::ResultRemoved { .. }), "{gone:?}");
    let gone = rig.client.by_id("completed").result().await.unwrap_err();
    assert!(matches!(gone, RunError::ResultRemoved { .. }), "{gone:?}");
    let record = completed.status().await.unwrap();
    assert_eq!((record.status, record.result), (RunStatus::Completed, None));
    let inspected = rig.client.inspect("completed").await.unwrap();
    assert_eq!(inspected.status, RunStatus::Completed);
    // Runs that close later are found as well, also after the rounds start over.
    for _ in 0..3 {
        let later = rig.client.start(comes_to_an_end()).await.unwrap();
        assert_eq!(later.result().await.unwrap(), 7);
        tokio::time::sleep(Duration::from_secs(62 * 60)).await;
        let gone = later.result().await.unwrap_err();
        assert!(matches!(gone, RunError::ResultRemoved { .. }), "{gone:?}");
    }
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn shared_promises_may_go_after_a_while() {
    let rig = Rig::new();
    let kept = Retention::new().shared_promises(hours(1));
    let worker = rig.patient_worker().retention(kept).start().await.unwrap();
    let token = PromiseToken::shared("weather");
    let completed = rig.client.promise(&token).resolve(&"fair".to_owned()).await.unwrap();
    assert!(completed.is_first());
    tokio::time::sleep(Duration::from_secs(50 * 60)).await;
    assert!(rig.client.store().find_promise(token.key()).await.unwrap().is_some());
    tokio::time::sleep(Duration::from_secs(80 * 60)).await;
    assert!(rig.client.store().find_promise(token.key()).await.unwrap().is_none());
    worker.shutdown().await.unwrap();
}
