//! W1: runs of ten steps, as many at a time as gives the best rate.

use anyhow::Result;

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
        let mut best = (0.0, 0);
        for window in WINDOWS {
            let flow = flow(&system.client, runs, window, STEPS).await?;
            let rate = runs as f64 / flow.elapsed.as_secs_f64();
            session.report.add(
                Figure::rate("W1", format!("runs, {window} at a time"), rate)
                    .store(kind)
                    .detail(format!("a run takes p50 {:.1?}", flow.latencies.p50())),
            );
            if rate > best.0 {
                best = (rate, window);
            }
        }
        system.stop().await?;
        let (rate, window) = best;
        session.report.add(
            Figure::rate("W1", "steps", rate * f64::from(STEPS))
                .store(kind)
                .raw(limits.rows_per_second)
                .target(Target::RatioAtLeast(0.5))
                .detail(format!("{runs} runs of {STEPS} steps, {window} at a time")),
        );
    }
    Ok(())
}
