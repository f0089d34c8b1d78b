//! Old runs are removed by workers.

use std::time::Duration;

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
async fn a_worker_removes_what_has_been_over_for_long() {
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
    let kept = Retention::of_all(hours(1)).for_ever("comes_to_an_end");
    let worker = rig.worker().retention(kept).start().await.unwrap();
    let run = rig.client.start(comes_to_an_end()).await.unwrap();
    run.result().await.unwrap();
    tokio::time::sleep(days(2)).await;
    assert!(is_there(&rig, &run).await);
    worker.shutdown().await.unwrap();
    let own = Retention::new().of("comes_to_an_end", days(1));
    let worker = rig.worker().retention(own).start().await.unwrap();
    tokio::time::sleep(Duration::from_secs(2 * 60)).await;
    assert!(!is_there(&rig, &run).await);
    worker.shutdown().await.unwrap();
}
