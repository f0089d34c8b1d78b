//! W10: many schedules on one worker.

use std::time::Duration;

use anyhow::{Context as _, Result};
use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use piton::client::Overlap;
use piton::filter;
use piton::model::Timestamp;
use piton::prelude::Client;
use piton::schedule::{Interval, Spec, UnixSeconds};
use tokio::time::sleep;

use crate::database::StoreKind;
use crate::inspector::{Inspector, STATISTICS_DELAY};
use crate::latency::Latencies;
use crate::report::{Figure, Target, Unit};
use crate::session::Session;
use crate::system::System;
use crate::workflows::due;

/// How many schedules there are.
const SCHEDULES: usize = 1_000;

/// How often each is due.
const EVERY: Duration = Duration::from_secs(60);

/// How late one in a hundred may be.
const ALLOWED: Duration = Duration::from_secs(1);

/// How many schedules are created at a time.
const CREATED: usize = 100;

/// How long the idle worker is watched.
const IDLE: Duration = Duration::from_secs(10);

/// How many runs are listed at a time.
const PAGE: u32 = 1_000;

/// When they are due.
#[derive(Clone, Copy)]
enum Times {
    /// As many in each second of the minute.
    Spread,
    /// All in the same second.
    AtOnce,
}

impl Times {
    const ALL: [(&'static str, Self); 2] = [("spread", Self::Spread), ("at once", Self::AtOnce)];

    fn offset(self, number: usize) -> Duration {
        match self {
            Self::Spread => Duration::from_secs(number as u64 % EVERY.as_secs()),
            Self::AtOnce => Duration::ZERO,
        }
    }
}

pub(crate) async fn run(session: &mut Session) -> Result<()> {
    for kind in session.options.stores.clone() {
        let count = session.scaled(SCHEDULES);
        for (how, times) in Times::ALL {
            let system = System::start(&mut session.databases, kind, |worker| worker).await?;
            // Once all of them are there, and the worker was watched.
            let begin = now() + 30 + count as i64 / 50;
            create(&system.client, count, times, UnixSeconds(begin)).await?;
            let idle = match times {
                Times::Spread => idle_transactions(&system).await?,
                Times::AtOnce => None,
            };
            let left = u64::try_from(begin - now()).context("creating schedules takes too long")?;
            sleep(Duration::from_secs(left) + EVERY + ALLOWED * 2).await;
            let late = lateness(&system.client).await?;
            system.stop().await?;
            report(session, kind, (count, how), &late, idle);
        }
    }
    Ok(())
}

/// Seconds since 1970.
fn now() -> i64 {
    Timestamp::now().as_micros() / 1_000_000
}

fn report(
    session: &mut Session,
    kind: StoreKind,
    (count, how): (usize, &str),
    late: &Latencies,
    idle: Option<f64>,
) {
    let name = |what| format!("{count} schedules {how}, late by {what}");
    let mut figures = vec![
        Figure::time("W10", name("p50"), late.p50()),
        Figure::time("W10", name("p99"), late.p99())
            .target(Target::AtMost(ALLOWED.as_secs_f64() * 1e6))
            .detail(format!("{} runs, each schedule due once in {EVERY:?}", late.len())),
        Figure::time("W10", name("at most"), late.quantile(1.0)),
    ];
    let name = format!("transactions, {count} schedules that are not due");
    figures.extend(idle.map(|idle| Figure::new("W10", name, idle, Unit::PerSecond)));
    for figure in figures {
        session.report.add(figure.store(kind));
    }
}

async fn create(client: &Client, count: usize, times: Times, begin: UnixSeconds) -> Result<()> {
    stream::iter(0..count)
        .map(|number| {
            let interval = Interval::every(EVERY).offset(times.offset(number));
            let spec = Spec::new().interval(interval).start(begin);
            let schedule = client.schedule(format!("s{number}"));
            schedule.create(spec, due()).overlap(Overlap::AllowAll).into_future()
        })
        .buffer_unordered(CREATED)
        .try_for_each(|_| async { Ok(()) })
        .await?;
    Ok(())
}

/// Transactions per second while no schedule is due.
async fn idle_transactions(system: &System) -> Result<Option<f64>> {
    let mut inspector = Inspector::connect(&system.database).await?;
    sleep(STATISTICS_DELAY).await;
    let before = inspector.transactions().await?;
    sleep(IDLE).await;
    let after = inspector.transactions().await?;
    inspector.close().await?;
    Ok(after.zip(before).map(|(after, before)| (after - before) as f64 / IDLE.as_secs_f64()))
}

/// How much later than its time each run was started.
async fn lateness(client: &Client) -> Result<Latencies> {
    let filter = filter::workflow().equals("due");
    let (mut late, mut cursor) = (Vec::new(), None);
    loop {
        let mut list = client.list_runs(filter.clone()).limit(PAGE);
        if let Some(cursor) = cursor.take() {
            list = list.page(cursor);
        }
        let page = list.await?;
        for run in &page.runs {
            let (_, nominal) = run.workflow_id.split_once('-').context("a scheduled run")?;
            let nominal: UnixSeconds = nominal.parse().map_err(anyhow::Error::msg)?;
            let nominal = Timestamp(nominal.as_micros());
            late.push(run.started_at.saturating_since(nominal));
        }
        cursor = page.next;
        if cursor.is_none() {
            return Ok(late.into_iter().collect());
        }
    }
}
