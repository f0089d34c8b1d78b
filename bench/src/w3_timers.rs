//! W3: many runs that sleep for the same time.

use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use piton::model::RunStatus;
use piton::prelude::Client;
use piton::{codec, filter};

use crate::latency::Latencies;
use crate::report::{Figure, Target, Unit};
use crate::session::Session;
use crate::system::System;
use crate::workflows::nap;

/// Numbers of runs, and how late one in a hundred may be.
const SIZES: [(usize, Duration); 2] =
    [(10_000, Duration::from_millis(20)), (100_000, Duration::from_millis(250))];

/// How long they sleep.
const SLEEP: Duration = Duration::from_secs(5);

/// How many starts are under way at a time.
pub(crate) const STARTS: usize = 1_000;

pub(crate) async fn run(session: &mut Session) -> Result<()> {
    for kind in session.options.stores.clone() {
        for (runs, allowed) in SIZES {
            let runs = session.scaled(runs);
            let system =
                System::start(&mut session.databases, kind, |worker| worker.max_runs(runs + 1_000))
                    .await?;
            let begin = Instant::now();
            start_naps(&system.client, runs, SLEEP).await?;
            let started = begin.elapsed();
            system.wait_for_completed(runs).await?;
            let all = begin.elapsed();
            let late = lateness(&system.client, runs, SLEEP).await?;
            system.stop().await?;

            let name = |what| format!("{runs} runs late by {what}");
            for figure in [
                Figure::time("W3", name("p50"), late.p50()),
                Figure::time("W3", name("p99"), late.p99())
                    .target(Target::AtMost(allowed.as_secs_f64() * 1e6))
                    .detail(format!("started in {started:.1?}, all over after {all:.1?}")),
                Figure::time("W3", name("at most"), late.quantile(1.0)),
                Figure::new("W3", "starts", runs as f64 / started.as_secs_f64(), Unit::PerSecond),
            ] {
                session.report.add(figure.store(kind));
            }
        }
    }
    Ok(())
}

/// Starts `runs` runs that sleep.
pub(crate) async fn start_naps(client: &Client, runs: usize, sleep: Duration) -> Result<()> {
    let millis = u64::try_from(sleep.as_millis())?;
    stream::iter(0..runs)
        .map(|_| client.start(nap(millis)).into_future())
        .buffer_unordered(STARTS)
        .try_for_each(|_| async { Ok(()) })
        .await?;
    Ok(())
}

/// How much longer than `sleep` the completed runs took from the step before it to the step after
/// it, as they returned it. Read when all is over, so that reading delays nobody.
pub(crate) async fn lateness(client: &Client, runs: usize, sleep: Duration) -> Result<Latencies> {
    let filter = filter::workflow().equals("nap") & filter::status().equals(RunStatus::Completed);
    let records = client.list_runs(filter).limit(u32::try_from(runs)?).await?.runs;
    ensure!(records.len() == runs, "{} of {runs} runs are listed", records.len());
    records
        .into_iter()
        .map(|record| {
            let result = record.result.context("a run without result")?;
            let micros: i64 = codec::from_payload(&result)?;
            let slept = Duration::from_micros(u64::try_from(micros)?);
            slept.checked_sub(sleep).context("a timer fired early")
        })
        .collect()
}
