//! W4: one run of very many steps, and what it takes to go on with it after its worker has died.

use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use piton::prelude::{Client, Worker};

use crate::database::StoreKind;
use crate::report::{Figure, Target};
use crate::session::Session;
use crate::system::{System, TEXT};
use crate::worker_process::WorkerProcess;
use crate::workflows::{mark_count, marked_steps, take_marks};

/// Steps of the run.
const STEPS: usize = 100_000;

/// Its first and last steps, which are compared.
const EDGE: usize = 1_000;

/// The steps in which its worker dies, early and late.
const DEATHS: [usize; 2] = [10, 90_000];

/// How often each death is tried.
const TRIES: usize = 5;

/// How often the first step after a restart is looked for.
const LOOK_INTERVAL: Duration = Duration::from_micros(200);

pub(crate) async fn run(session: &mut Session) -> Result<()> {
    for kind in session.options.stores.clone() {
        let step_count = session.scaled(STEPS);
        let edge = EDGE.min(step_count / 4);
        let system = System::start(&mut session.databases, kind, |worker| worker).await?;
        take_marks();
        let call = marked_steps(u32::try_from(step_count)?, TEXT.to_owned());
        let begin = Instant::now();
        system.client.start(call).await?.result().await?;
        let elapsed = begin.elapsed();
        let marks = take_marks();
        system.stop().await?;
        // The very first steps also warm up caches and prepare statements.
        let (first, last) = (&marks[edge..2 * edge], &marks[marks.len() - edge..]);
        let per_step = |marks: &[Instant]| {
            (marks[marks.len() - 1] - marks[0]).as_secs_f64() / (marks.len() - 1) as f64
        };
        let rate = step_count as f64 / elapsed.as_secs_f64();
        session.report.add(Figure::rate("W4", "steps of one run", rate).store(kind));
        session.report.add(
            Figure::time("W4", "a late step", Duration::from_secs_f64(per_step(last)))
                .store(kind)
                .raw(per_step(first) * 1e6)
                .target(Target::RatioAtMost(1.1))
                .detail(format!("last {edge} of {step_count} steps; the limit is an early step")),
        );

        let [early, late] = DEATHS.map(|step| (step as f64 * session.options.scale) as usize);
        let early = resume_time(session, kind, early.max(DEATHS[0])).await?;
        let late = resume_time(session, kind, late.max(2 * DEATHS[0])).await?;
        session.report.add(
            Figure::time("W4", "resume late in the run", late)
                .store(kind)
                .raw(early.as_secs_f64() * 1e6)
                .target(Target::RatioAtMost(1.2))
                .detail("from opening the database to the next step; the limit is at step 10"),
        );
    }
    Ok(())
}

/// How long it takes from opening the database to the next step of a run whose worker process died
/// in step `step`: the median of some tries.
async fn resume_time(session: &mut Session, kind: StoreKind, step: usize) -> Result<Duration> {
    let mut times = Vec::with_capacity(TRIES);
    for _ in 0..TRIES {
        let system = System::without_worker(&mut session.databases, kind).await?;
        let process = WorkerProcess::start(&system.database.url, Some(step)).await?;
        let call = marked_steps(u32::try_from(step)? + 100, TEXT.to_owned());
        let run_id = system.client.start(call).await?.run_id();
        process.wait_for_death().await?;
        let database = system.stop().await?;

        take_marks();
        let begin = Instant::now();
        let client = Client::connect(&database.url).await?;
        let worker = Worker::new(&client).start().await?;
        while mark_count() == 0 {
            tokio::time::sleep(LOOK_INTERVAL).await;
        }
        let first = take_marks().first().copied().context("no step was made")?;
        times.push(first - begin);
        client.run::<marked_steps>(run_id).await?.result().await?;
        worker.shutdown().await.map_err(anyhow::Error::msg)?;
        client.close().await;
    }
    times.sort_unstable();
    Ok(times[TRIES / 2])
}
