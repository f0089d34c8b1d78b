//! W4: one run of very many steps, and the cost of continuing it after its worker has died.

use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use piton::prelude::{Client, Worker};

use crate::database::StoreKind;
use crate::latency::Latencies;
use crate::report::{Figure, Target};
use crate::session::Session;
use crate::system::{System, TEXT};
use crate::worker_process::WorkerProcess;
use crate::workflows::{TURNS, mark_count, marked_steps, take_marks, turned_steps};

/// Steps of the run.
const STEPS: usize = 100_000;

/// Its last steps, and the first of another run, which are compared.
const EDGE: usize = 1_000;

/// How many steps of one of the two are measured before it is the other's turn.
const TURN: usize = 50;

/// The indexes of the two in [`TURNS`].
const OLD: usize = 0;
const NEW: usize = 1;

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
        let (rate, late, early) = {
            let system = System::start(&mut session.databases, kind, |worker| worker).await?;
            let figures = late_and_early(&system.client, step_count, edge).await?;
            system.stop().await?;
            figures
        };
        session.report.add(Figure::rate("W4", "steps of one run", rate).store(kind));
        session.report.add(
            Figure::time("W4", "a late step", late.p50())
                .store(kind)
                .raw(early.p50().as_secs_f64() * 1e6)
                .target(Target::RatioAtMost(1.1))
                .detail(format!(
                    "last {edge} of {step_count} steps, p50; the limit is one of the first {edge} of \
                     another run, by turns of {TURN}"
                )),
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

/// The steps per second of a run but for its last `edge`, and how long each of these takes beside the
/// first of a run that is new then. Their turns change all the time, because a disk and a processor
/// are not as fast in one minute as in the one before.
async fn late_and_early(
    client: &Client,
    step_count: usize,
    edge: usize,
) -> Result<(f64, Latencies, Latencies)> {
    let call =
        |run, count| -> Result<_> { Ok(turned_steps(run, u32::try_from(count)?, TEXT.to_owned())) };
    let old = client.start(call(OLD, step_count)?).await?;
    let begin = Instant::now();
    TURNS[OLD].take(u32::try_from(step_count - edge)?).await;
    let rate = (step_count - edge) as f64 / begin.elapsed().as_secs_f64();

    let new = client.start(call(NEW, edge)?).await?;
    let (mut late, mut early) = (Vec::with_capacity(edge), Vec::with_capacity(edge));
    for begin in (0..edge).step_by(TURN) {
        let count = u32::try_from(TURN.min(edge - begin))?;
        for (run, times) in [(OLD, &mut late), (NEW, &mut early)] {
            let marks = TURNS[run].take(count).await;
            times.extend(marks.windows(2).map(|pair| pair[1] - pair[0]));
        }
    }
    old.result().await?;
    new.result().await?;
    Ok((rate, late.into_iter().collect(), early.into_iter().collect()))
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
