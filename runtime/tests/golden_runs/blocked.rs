//! Runs that are blocked because the build lacks something, until one has it.

use libtest_mimic::Failed;
use piton::activities::ActivityEntry;
use piton::client::Client;
use piton::machine::{Workflow, WorkflowEntry};
use piton::model::{BlockedReason, Difference};
use piton::prelude::*;
use piton::worker::Worker;

use crate::parked::{until_blocked, until_parked};
use crate::shop::Go;

#[activity]
async fn emboss(number: u64) -> u64 {
    number * 2
}

/// The workflow before an edit.
mod before {
    use super::*;

    #[workflow]
    pub(crate) async fn is_edited(cx: &Context) -> String {
        let number = emboss(7).await;
        let go = cx.signal::<Go>().await;
        format!("{number} for {}", go.by)
    }
}

/// After it: the code behind the signal needs another local.
mod after {
    use super::*;

    #[workflow]
    pub(crate) async fn is_edited(cx: &Context) -> String {
        let number = emboss(7).await;
        let half = emboss(number).await / 4;
        let go = cx.signal::<Go>().await;
        format!("{number} and {half} for {}", go.by)
    }
}

#[workflow]
async fn embosses(cx: &Context) -> u64 {
    cx.signal::<Go>().await;
    emboss(21).await
}

/// A worker with everything in this program but the workflow before the edit.
pub(crate) fn edited(client: &Client) -> Worker {
    let old: *const _ = <before::is_edited as Workflow>::entry();
    let workflows = WorkflowEntry::all().filter(|entry| !std::ptr::eq(*entry, old));
    Worker::new(client).serving(workflows.collect(), ActivityEntry::all().collect())
}

/// A worker with this workflow alone.
fn only<W: Workflow>(client: &Client, activities: Vec<&'static ActivityEntry>) -> Worker {
    Worker::new(client).serving(vec![W::entry()], activities)
}

/// Blocks the runs. Any worker that starts afterwards may free them.
pub(crate) async fn block_runs(client: &Client) -> Result<(), Failed> {
    let run = client.start(before::is_edited()).id("edited code").await?;
    let worker = only::<before::is_edited>(client, ActivityEntry::all().collect()).start().await?;
    until_parked(client, "edited code", "signal<Go>").await?;
    worker.shutdown().await?;
    run.signal(Go { by: "Ann".to_owned() }).await?;
    let worker = only::<after::is_edited>(client, ActivityEntry::all().collect()).start().await?;
    until_blocked(client, "edited code").await?;
    worker.shutdown().await?;

    let run = client.start(embosses()).id("no activity").await?;
    run.signal(Go { by: "Ann".to_owned() }).await?;
    let worker = only::<embosses>(client, Vec::new()).start().await?;
    until_blocked(client, "no activity").await?;
    worker.shutdown().await?;
    Ok(())
}

pub(crate) async fn finish_runs(client: &Client) -> Result<(), Failed> {
    let edited = client.run::<before::is_edited>("edited code").await?;
    let blocked = edited.status().await?.blocked;
    let Some(BlockedReason::Evolution(finding)) = blocked else { panic!("{blocked:?}") };
    assert_eq!(finding.state, "signal<Go>");
    assert!(
        matches!(&finding.difference, Difference::MissingLocal { local, .. } if local == "half")
    );
    let embossed = client.run::<embosses>("no activity").await?;
    let blocked = embossed.status().await?.blocked;
    let Some(BlockedReason::Unregistered(why)) = blocked else { panic!("{blocked:?}") };
    assert!(why.contains("emboss"), "{why}");

    let worker = only::<before::is_edited>(client, ActivityEntry::all().collect()).start().await?;
    assert_eq!(edited.result().await?, "14 for Ann");
    worker.shutdown().await?;
    let worker = only::<embosses>(client, ActivityEntry::all().collect()).start().await?;
    assert_eq!(embossed.result().await?, 42);
    worker.shutdown().await?;
    Ok(())
}
