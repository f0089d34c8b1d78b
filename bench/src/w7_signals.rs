//! W7: many signals to one run, and one signal each to many runs.

use std::time::Instant;

use anyhow::Result;
use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use piton::prelude::RunHandle;

use crate::report::Figure;
use crate::session::Session;
use crate::system::{System, TEXT};
use crate::w3_timers::STARTS;
use crate::workflows::{Poke, pokes};

/// How many signals.
const SIGNALS: usize = 10_000;

pub(crate) async fn run(session: &mut Session) -> Result<()> {
    for kind in session.options.stores.clone() {
        let raw = session.raw_limits(kind).await?.rows_per_second;
        let signals = session.scaled(SIGNALS);
        let system = System::start(&mut session.databases, kind, |worker| worker).await?;
        let run = system.client.start(pokes(u32::try_from(signals)?)).await?;
        let begin = Instant::now();
        let runs = std::iter::repeat_n(run.clone(), signals).collect();
        send(runs).await?;
        let accepted = begin.elapsed();
        run.result().await?;
        let consumed = begin.elapsed();

        let runs = stream::iter(0..signals)
            .map(|_| system.client.start(pokes(1)).into_future())
            .buffer_unordered(STARTS)
            .try_collect::<Vec<_>>()
            .await?;
        let begin = Instant::now();
        send(runs).await?;
        let spread_accepted = begin.elapsed();
        system.wait_for_completed(signals + 1).await?;
        let spread_consumed = begin.elapsed();
        system.stop().await?;

        for (name, elapsed) in [
            ("signals accepted, one run", accepted),
            ("signals consumed, one run", consumed),
            ("signals accepted, a run each", spread_accepted),
            ("signals consumed, a run each", spread_consumed),
        ] {
            let rate = signals as f64 / elapsed.as_secs_f64();
            session.report.add(
                Figure::rate("W7", name, rate)
                    .store(kind)
                    .raw(raw)
                    .detail(format!("{signals} signals in {elapsed:.2?}")),
            );
        }
    }
    Ok(())
}

/// Sends a signal to each of `runs`.
async fn send(runs: Vec<RunHandle<pokes>>) -> Result<()> {
    stream::iter(runs)
        .map(|run| async move { run.signal(Poke { text: TEXT.to_owned() }).await })
        .buffer_unordered(STARTS)
        .try_for_each(|()| async { Ok(()) })
        .await?;
    Ok(())
}
