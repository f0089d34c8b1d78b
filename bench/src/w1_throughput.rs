//! W1: runs of ten steps, as many at a time and on as many threads as give the best rate.

use std::collections::BTreeSet;
use std::time::Duration;

use anyhow::{Context as _, Result};
use tokio::runtime::Builder;

use crate::database::StoreKind;
use crate::report::{Figure, Target};
use crate::session::Session;
use crate::system::{Sustained, System, sustain};

/// How many runs are under way at a time.
const WINDOWS: [usize; 5] = [64, 256, 1_024, 2_048, 4_096];

/// How long each window runs before it is measured, and how long it is measured, in seconds.
const WARM_UP: f64 = 1.0;
const MEASURED: f64 = 3.0;

/// Steps per run.
pub(crate) const STEPS: u32 = 10;

/// The best of all settings.
struct Best {
    window: usize,
    threads: usize,
    flow: Sustained,
}

pub(crate) async fn run(session: &mut Session) -> Result<()> {
    let cores = std::thread::available_parallelism()?.get();
    for kind in session.options.stores.clone() {
        let limits = session.raw_limits(kind).await?;
        let mut best = None;
        for threads in BTreeSet::from([1, cores]) {
            on_threads(threads, measure(session, kind, threads, &mut best))?;
        }
        let Best { window, threads, flow } = best.context("there is no window")?;
        let Sustained { rate, step_time, .. } = flow;
        session.report.add(
            Figure::rate("W1", "steps", rate * f64::from(STEPS))
                .store(kind)
                .raw(limits.steps_per_second)
                .target(Target::RatioAtLeast(0.5))
                .detail(format!("{window} runs of {STEPS} steps at a time, {threads} thread(s)")),
        );
        session.report.add(
            Figure::rate("W1", "steps beside rows of open runs", rate * f64::from(STEPS))
                .store(kind)
                .raw(limits.rows_per_second),
        );
        session.report.add(
            Figure::time("W1", "processor time of a step", step_time.total())
                .store(kind)
                .raw(limits.step_time.total().as_secs_f64() * 1e6)
                .detail(step_time.shares()),
        );
    }
    Ok(())
}

/// Does the work on a runtime of its own with so many threads, as a program that says so has it.
fn on_threads<T>(threads: usize, work: impl Future<Output = Result<T>>) -> Result<T> {
    tokio::task::block_in_place(|| {
        let mut builder = Builder::new_multi_thread();
        builder.worker_threads(threads).enable_all().build()?.block_on(work)
    })
}

/// Measures all windows, on a database of their own.
async fn measure(
    session: &mut Session,
    kind: StoreKind,
    threads: usize,
    best: &mut Option<Best>,
) -> Result<()> {
    let span = [WARM_UP, MEASURED].map(|seconds| seconds * session.options.scale);
    let [warm_up, measured] = span.map(Duration::from_secs_f64);
    let system =
        System::start(&mut session.databases, kind, |worker| worker.max_activities(10_000)).await?;
    let server = session.databases.server_pid(kind);
    for window in WINDOWS {
        let flow = sustain(&system.client, window, STEPS, (warm_up, measured), server).await?;
        let latency = flow.latencies.p50();
        session.report.add(
            Figure::rate("W1", format!("runs, {window} at a time"), flow.rate).store(kind).detail(
                format!(
                    "{threads} thread(s); a run takes p50 {latency:.1?}; a step {}",
                    flow.step_time.shares()
                ),
            ),
        );
        if best.as_ref().is_none_or(|best| flow.rate > best.flow.rate) {
            *best = Some(Best { window, threads, flow });
        }
    }
    system.stop().await?;
    Ok(())
}
