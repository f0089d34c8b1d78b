//! W1: runs of ten steps, as many at a time as gives the best rate.

use anyhow::Result;

use crate::processor::ProcessorTime;
use crate::report::{Figure, Target};
use crate::session::Session;
use crate::system::{System, flow};

/// How many runs are under way at a time.
const WINDOWS: [usize; 4] = [64, 256, 1_024, 4_096];

/// Runs per window.
const RUNS: usize = 5_000;

/// Steps per run.
pub(crate) const STEPS: u32 = 10;

pub(crate) async fn run(session: &mut Session) -> Result<()> {
    for kind in session.options.stores.clone() {
        let limits = session.raw_limits(kind).await?;
        let runs = session.scaled(RUNS);
        let system =
            System::start(&mut session.databases, kind, |worker| worker.max_activities(10_000))
                .await?;
        flow(&system.client, runs / 10 + 1, WINDOWS[0], STEPS).await?;
        let server = session.databases.server_pid(kind);
        let mut best = (0.0, 0, ProcessorTime::default());
        for window in WINDOWS {
            let before = ProcessorTime::used(server)?;
            let flow = flow(&system.client, runs, window, STEPS).await?;
            let step_time =
                ProcessorTime::used(server)?.each(before, runs as u64 * u64::from(STEPS));
            let rate = runs as f64 / flow.elapsed.as_secs_f64();
            session.report.add(
                Figure::rate("W1", format!("runs, {window} at a time"), rate).store(kind).detail(
                    format!(
                        "a run takes p50 {:.1?}; a step {}",
                        flow.latencies.p50(),
                        step_time.shares()
                    ),
                ),
            );
            if rate > best.0 {
                best = (rate, window, step_time);
            }
        }
        system.stop().await?;
        let (rate, window, step_time) = best;
        session.report.add(
            Figure::rate("W1", "steps", rate * f64::from(STEPS))
                .store(kind)
                .raw(limits.steps_per_second)
                .target(Target::RatioAtLeast(0.5))
                .detail(format!("{runs} runs of {STEPS} steps, {window} at a time")),
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
