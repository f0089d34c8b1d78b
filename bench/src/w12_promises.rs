//! W12: promises that clients complete: before they are awaited, and while runs are parked on them.

use std::time::Instant;

use anyhow::{Result, ensure};
use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use piton::filter;
use piton::machine::Workflow as _;
use piton::prelude::{Client, PromiseToken};

use crate::report::Figure;
use crate::session::Session;
use crate::system::{System, TEXT};
use crate::w3_timers::STARTS;
use crate::workflows::{PROMISE, promised};

/// How many runs await a promise of their own.
const RUNS: usize = 10_000;

pub(crate) async fn run(session: &mut Session) -> Result<()> {
    for kind in session.options.stores.clone() {
        let raw = session.raw_limits(kind).await?.rows_per_second;
        let runs = session.scaled(RUNS);
        let figure = |name: &str, begin: Instant| {
            let elapsed = begin.elapsed();
            let rate = runs as f64 / elapsed.as_secs_f64();
            let detail = format!("{runs} promises in {elapsed:.2?}");
            Figure::rate("W12", name, rate).store(kind).raw(raw).detail(detail)
        };
        let system = System::start(&mut session.databases, kind, |worker| worker).await?;
        let begin = Instant::now();
        resolve(&system.client, "early", runs).await?;
        let early = figure("completed before their runs are there", begin);
        let begin = Instant::now();
        start(&system.client, "early", runs).await?;
        system.wait_for_completed(runs).await?;
        let taken = figure("runs that find theirs completed", begin);

        start(&system.client, "late", runs).await?;
        wait_until_awaited(&system.client, runs).await?;
        let begin = Instant::now();
        resolve(&system.client, "late", runs).await?;
        let late = figure("completed while runs wait", begin);
        system.wait_for_completed(2 * runs).await?;
        let resumed = figure("runs that go on", begin);
        system.stop().await?;
        [early, taken, late, resumed].into_iter().for_each(|figure| session.report.add(figure));
    }
    Ok(())
}

async fn start(client: &Client, prefix: &str, runs: usize) -> Result<()> {
    stream::iter(0..runs)
        .map(|number| client.start(promised()).id(format!("{prefix}-{number}")).into_future())
        .buffer_unordered(STARTS)
        .try_for_each(|_| async { Ok(()) })
        .await?;
    Ok(())
}

/// Completes the promise of each run, by its workflow id.
async fn resolve(client: &Client, prefix: &str, runs: usize) -> Result<()> {
    stream::iter(0..runs)
        .map(|number| async move {
            let id = format!("{prefix}-{number}");
            let token = PromiseToken::of_workflow_id(promised::NAME, id, PROMISE);
            let completed = client.promise(&token).resolve(&TEXT.to_owned()).await?;
            ensure!(completed.is_first(), "{token} was completed before");
            Ok(())
        })
        .buffer_unordered(STARTS)
        .try_for_each(|()| async { Ok(()) })
        .await
}

/// Waits until this many runs await their promise.
async fn wait_until_awaited(client: &Client, runs: usize) -> Result<()> {
    let waiting = filter::state().equals(PROMISE);
    loop {
        if client.count(waiting.clone()).await? >= runs as u64 {
            return Ok(());
        }
        tokio::time::sleep(crate::system::COUNT_INTERVAL).await;
    }
}
