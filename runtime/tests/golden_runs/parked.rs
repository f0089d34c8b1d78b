//! Waiting for runs while the database is written and read.

use std::time::Duration;

use libtest_mimic::Failed;
use piton::client::Client;
use piton::model::RunStatus;
use piton::store::RunRecord;

pub(crate) const LOOK: Duration = Duration::from_millis(10);

/// Until the newest run with the workflow id is in the state and no worker has it.
pub(crate) async fn until_parked(client: &Client, id: &str, state: &str) -> Result<(), Failed> {
    until(client, id, |run| run.state == state).await
}

pub(crate) async fn until_blocked(client: &Client, id: &str) -> Result<(), Failed> {
    until(client, id, |run| run.status == RunStatus::Blocked).await
}

async fn until(
    client: &Client,
    id: &str,
    is_wanted: impl Fn(&RunRecord) -> bool,
) -> Result<(), Failed> {
    while client.find(id).await?.is_none_or(|run| !is_wanted(&run)) {
        tokio::time::sleep(LOOK).await;
    }
    Ok(())
}
