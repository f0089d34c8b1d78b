//! W9: activities on a queue while another session holds a snapshot open, as a backup or a report does.
//! Meanwhile Postgres removes no version of a row that has been replaced since.

use std::time::Duration;

use anyhow::Result;
use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use piton::prelude::Worker;
use piton::worker::Queue;
use sqlx::{Connection as _, PgConnection};
use tokio::time::{Instant, sleep, sleep_until};

use crate::database::StoreKind;
use crate::latency::Latencies;
use crate::processor::ProcessorTime;
use crate::report::{Figure, Target};
use crate::session::Session;
use crate::system::{System, TEXT};
use crate::w3_timers::STARTS;
use crate::workflows::{QUEUE, rounds, take_waits};

/// How many runs go round.
const RUNS: usize = 200;

/// The longest wait in memory, shorter than the long sleep of [`rounds()`].
const PARK_AFTER: Duration = Duration::from_millis(100);

/// The load before the measurement.
const WARM_UP: Duration = Duration::from_secs(10);

/// How long a rate is measured.
const WINDOW: Duration = Duration::from_secs(20);

/// From the end of the snapshot to the last window: autovacuum looks once a minute.
const RECOVERY: Duration = Duration::from_secs(90);

const OPEN: &str = "BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1";

/// The shares of that time at whose end a rate is measured.
const MEASURED_AT: [f64; 4] = [0.25, 0.5, 0.75, 1.0];

/// What was measured in one window.
struct Window {
    rate: f64,
    waits: Latencies,
    /// What an activity took of the processors, with the steps around it.
    time: ProcessorTime,
}

pub(crate) async fn run(session: &mut Session) -> Result<()> {
    let open_for = session.options.open_snapshot;
    for kind in session.options.stores.clone() {
        if kind != StoreKind::Postgres {
            continue;
        }
        let configure = |worker: Worker| {
            worker.queue(Queue::new(QUEUE).max_concurrent(1_000)).park_after(PARK_AFTER)
        };
        let system = System::start(&mut session.databases, kind, configure).await?;
        let runs = stream::iter(0..session.scaled(RUNS))
            .map(|_| system.client.start(rounds(TEXT.to_owned())).into_future())
            .buffer_unordered(STARTS)
            .try_collect::<Vec<_>>()
            .await?;
        let server = session.databases.server_pid(kind);
        sleep(WARM_UP).await;
        let before = measure(server).await?;
        report(session, "before", &before, &before);
        let mut reader = PgConnection::connect(&system.database.url).await?;
        sqlx::raw_sql(OPEN).execute(&mut reader).await?;
        let begun = Instant::now();
        for share in MEASURED_AT {
            let end = open_for.mul_f64(share);
            sleep_until(begun + end.saturating_sub(WINDOW)).await;
            let name = format!("with a snapshot open for {:.0} s", end.as_secs_f64());
            report(session, &name, &measure(server).await?, &before);
        }
        sqlx::raw_sql("COMMIT").execute(&mut reader).await?;
        reader.close().await?;
        sleep(RECOVERY).await;
        report(session, "after", &measure(server).await?, &before);
        for run in runs {
            run.terminate("measured").await?;
        }
        system.stop().await?;
    }
    Ok(())
}

async fn measure(server: Option<u32>) -> Result<Window> {
    let used = ProcessorTime::used(server)?;
    take_waits();
    let begin = Instant::now();
    sleep(WINDOW).await;
    let waits: Latencies = take_waits().into_iter().collect();
    let time = ProcessorTime::used(server)?.each(used, waits.len() as u64);
    Ok(Window { rate: waits.len() as f64 / begin.elapsed().as_secs_f64(), waits, time })
}

fn report(session: &mut Session, name: &str, window: &Window, before: &Window) {
    let p99 = |window: &Window| window.waits.p99();
    session.report.add(
        Figure::rate("W9", format!("queued activities {name}"), window.rate)
            .store(StoreKind::Postgres)
            .raw(before.rate)
            .target(Target::RatioAtLeast(0.5)),
    );
    session.report.add(
        Figure::time(
            "W9",
            format!("processor time of a queued activity {name}"),
            window.time.total(),
        )
        .store(StoreKind::Postgres)
        .raw(before.time.total().as_secs_f64() * 1e6)
        .detail(window.time.shares()),
    );
    session.report.add(
        Figure::time("W9", format!("begin of a queued activity {name}, p99"), p99(window))
            .store(StoreKind::Postgres)
            .raw(p99(before).as_secs_f64() * 1e6),
    );
}
