//! W1 with `durability = "relaxed"`: the same runs of ten steps, beside strict ones.

use anyhow::Result;

use crate::report::Figure;
use crate::session::Session;
use crate::system::{System, flow, flow_of};
use crate::w1_throughput::STEPS;
use crate::workflows::relaxed_steps;

/// How many runs are under way at a time, and how many there are of each kind.
const WINDOWS: [(usize, usize); 3] = [(1, 200), (16, 1_000), (256, 5_000)];

pub(crate) async fn run(session: &mut Session) -> Result<()> {
    for kind in session.options.stores.clone() {
        let system =
            System::start(&mut session.databases, kind, |worker| worker.max_activities(10_000))
                .await?;
        flow(&system.client, 100, 16, STEPS).await?;
        for (window, runs) in WINDOWS {
            let runs = session.scaled(runs);
            let rate = |flow: crate::system::Flow| {
                runs as f64 * f64::from(STEPS) / flow.elapsed.as_secs_f64()
            };
            let strict = flow(&system.client, runs, window, STEPS).await?;
            let relaxed = flow_of(relaxed_steps, &system.client, runs, window, STEPS).await?;
            let latency = relaxed.latencies.p50();
            session.report.add(
                Figure::rate("W1", format!("relaxed steps, {window} at a time"), rate(relaxed))
                    .store(kind)
                    .raw(rate(strict))
                    .detail(format!("beside strict ones; a run takes p50 {latency:.1?}")),
            );
        }
        system.stop().await?;
    }
    Ok(())
}
