//! W2: one run at a time.

use std::time::Instant;

use anyhow::Result;

use crate::latency::Latencies;
use crate::report::{Figure, Target};
use crate::session::Session;
use crate::system::{System, TEXT};
use crate::workflows::{marked_steps, steps, take_marks};

/// Steps of the one long run.
const STEPS: usize = 5_000;

/// Runs of one step.
const RUNS: usize = 1_000;

/// Runs before the first that counts.
const WARM_UP: usize = 50;

pub(crate) async fn run(session: &mut Session) -> Result<()> {
    for kind in session.options.stores.clone() {
        let limits = session.raw_limits(kind).await?;
        let (commit, step_count, runs) =
            (limits.single.p50(), session.scaled(STEPS), session.scaled(RUNS));
        let system = System::start(&mut session.databases, kind, |worker| worker).await?;
        let client = &system.client;
        for _ in 0..WARM_UP {
            client.start(steps(1, TEXT.to_owned())).await?.result().await?;
        }

        take_marks();
        let call = marked_steps(u32::try_from(step_count)?, TEXT.to_owned());
        client.start(call).await?.result().await?;
        let marks = take_marks();
        let gaps: Latencies = marks.windows(2).map(|pair| pair[1] - pair[0]).collect();

        let mut times = Vec::with_capacity(runs);
        for _ in 0..runs {
            let started = Instant::now();
            client.start(steps(1, TEXT.to_owned())).await?.result().await?;
            times.push(started.elapsed());
        }
        let times: Latencies = times.into_iter().collect();
        system.stop().await?;

        let raw = commit.as_secs_f64() * 1e6;
        let time = |name, time| Figure::time("W2", name, time).store(kind).raw(raw);
        for figure in [
            time("step p50", gaps.p50())
                .target(Target::RatioAtMost(1.5))
                .detail(format!("from activity to activity of one run, {step_count} steps")),
            Figure::time("W2", "step p99", gaps.p99())
                .store(kind)
                .raw(limits.single.p99().as_secs_f64() * 1e6),
            time("start to result p50", times.p50())
                .target(Target::RatioAtMost(6.0))
                .detail(format!("{runs} runs of one step, one after the other")),
            time("start to result p99", times.p99()),
        ] {
            session.report.add(figure);
        }
    }
    Ok(())
}
