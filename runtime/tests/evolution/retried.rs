//! Failed runs that are retried in another build.

use std::sync::Arc;

use libtest_mimic::Failed;
use piton::machine::Workflow;
use piton::model::{RunId, RunStatus};
use piton::store::{RunRecord, Store};

use crate::drive::{serve, until};
use crate::edit::Build;
use crate::shop::{Client, Lab};

mod old {
    use crate::shop::*;

    #[workflow]
    pub async fn refund(id: u64) -> Result<String, String> {
        let amount = u8::try_from(id).unwrap_or_default();
        let charged = charge(id).await;
        Err(format!("{charged} and not {amount}"))
    }

    #[workflow]
    pub async fn moved(id: u64) -> Result<String, String> {
        let charged = charge(id).await;
        Err(charged)
    }
}

mod new {
    use crate::shop::*;

    /// The saved number is wider, and the code after the await is different.
    #[workflow]
    pub async fn refund(id: u64) -> Result<String, String> {
        let amount = u32::try_from(id).unwrap_or_default();
        let charged = charge(id).await;
        let shipped = ship(u64::from(amount)).await;
        Ok(format!("{charged}, {shipped}"))
    }

    /// The await at which the run has failed is removed.
    #[workflow]
    pub async fn moved(id: u64) -> Result<String, String> {
        Ok(ship(id).await)
    }
}

fn build<A: Workflow, B: Workflow>() -> Build {
    Build { workflow: A::entry(), children: vec![B::entry()], activities: Vec::new() }
}

/// One run continues in the new code from the await at which it failed. One whose state was removed is blocked, and is
/// retried in the old build.
pub async fn check(store: Arc<dyn Store>) -> Result<(), Failed> {
    let (old, new) = (build::<old::refund, old::moved>(), build::<new::refund, new::moved>());
    let (lab, client) = (Lab::default(), Client::new(Arc::clone(&store)));
    let over = |record: &RunRecord| !record.status.is_open();
    let worker = serve(&client, &old, &lab).await;
    let refund = client.start(old::refund(7)).await?.run_id();
    let moved = client.start(old::moved(8)).await?.run_id();
    for run_id in [refund, moved] {
        assert_eq!(until(&client, run_id, over).await?.status, RunStatus::Failed);
    }
    worker.shutdown().await?;

    let client = Client::new(Arc::clone(&store));
    let retry = |client: &Client, run_id: RunId| client.by_id(run_id).retry();
    for run_id in [refund, moved] {
        assert!(retry(&client, run_id).because("the code is mended").await?);
    }
    let worker = serve(&client, &new, &lab).await;
    assert_eq!(until(&client, refund, over).await?.status, RunStatus::Completed);
    let result = client.by_id(refund).result().await?;
    assert_eq!(result, "charged 7, shipped 7");
    let blocked = until(&client, moved, |record| record.status == RunStatus::Blocked).await?;
    let reason = format!("{:?}", blocked.blocked);
    assert!(reason.contains("MissingState"), "{reason}");
    worker.shutdown().await?;

    let client = Client::new(Arc::clone(&store));
    let worker = serve(&client, &old, &lab).await;
    assert_eq!(until(&client, moved, over).await?.failure.as_deref(), Some("charged 8"));
    worker.shutdown().await?;
    Ok(())
}
