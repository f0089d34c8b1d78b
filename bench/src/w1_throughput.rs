//! W1: runs of ten steps, as many at a time as gives the best rate.

use std::time::Duration;

use anyhow::{Context as _, Result};

use crate::report::{Figure, Target};
use crate::session::Session;
use crate::system::{Sustained, System, sustain};

/// How many runs are under way at a time.
const WINDOWS: [usize; 4] = [64, 256, 1_024, 4_096];

/// How long each window runs before it is measured, and how long it is measured, in seconds.
const WARM_UP: f64 = 1.0;
const MEASURED: f64 = 3.0;

/// Steps per run.
pub(crate) const STEPS: u32 = 10;

pub(crate) async fn run(session: &mut Session) -> Result<()> {
    let span = [WARM_UP, MEASURED].map(|seconds| seconds * session.options.scale);
    let [warm_up, measured] = span.map(Duration::from_secs_f64);
    for kind in session.options.stores.clone() {
        let limits = session.raw_limits(kind).await?;
        let system =
            System::start(&mut session.databases, kind, |worker| worker.max_activities(10_000))
                .await?;
        let server = session.databases.server_pid(kind);
        let mut best: Option<(usize, Sustained)> = None;
        for window in WINDOWS {
            let flow = sustain(&system.client, window, STEPS, (warm_up, measured), server).await?;
            let latency = flow.latencies.p50();
            session.report.add(
                Figure::rate("W1", format!("runs, {window} at a time"), flow.rate)
                    .store(kind)
                    .detail(format!(
                        "a run takes p50 {latency:.1?}; a step {}",
                        flow.step_time.shares()
                    )),
            );
            if best.as_ref().is_none_or(|(_, best)| flow.rate > best.rate) {
                best = Some((window, flow));
            }
        }
        system.stop().await?;
        let (window, Sustained { rate, step_time, .. }) = best.context("there is no window")?;
        session.report.add(
            Figure::rate("W1", "steps", rate * f64::from(STEPS))
                .store(kind)
                .raw(limits.steps_per_second)
                .target(Target::RatioAtLeast(0.5))
                .detail(format!("{window} runs of {STEPS} steps at a time")),
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
