//! W2: one run at a time, and commits of one row by turns with it: how long both take changes from one
//! connection to the next, and from one minute to the next.

use std::time::{Duration, Instant};

use anyhow::Result;
use piton::prelude::Client;

use crate::database::StoreKind;
use crate::latency::Latencies;
use crate::raw::SingleCommits;
use crate::report::{Figure, Target};
use crate::session::Session;
use crate::system::{System, TEXT};
use crate::workflows::{TURNS, steps, turned_steps};

/// How often everything is set up anew.
const ROUNDS: usize = 5;

/// The turns of a round, those before the first that counts, and what is measured in each.
const TURNS_EACH: usize = 20;
const WARM_UP: usize = 2;
const STEPS: usize = 50;
const RUNS: usize = 10;

/// What was measured, in one place after the other.
#[derive(Default)]
struct Times {
    commits: Vec<Duration>,
    steps: Vec<Duration>,
    runs: Vec<Duration>,
}

pub(crate) async fn run(session: &mut Session) -> Result<()> {
    for kind in session.options.stores.clone() {
        let mut times = Times::default();
        for _ in 0..session.scaled(ROUNDS) {
            round(session, kind, &mut times).await?;
        }
        let details = [
            format!("from activity to activity of one run, {} steps", times.steps.len()),
            format!("{} runs of one step, one after the other", times.runs.len()),
        ];
        let [commits, steps, runs] =
            [times.commits, times.steps, times.runs].map(Latencies::from_iter);
        let figure = |name, time, commit: Duration| {
            Figure::time("W2", name, time).store(kind).raw(commit.as_secs_f64() * 1e6)
        };
        let [of_steps, of_runs] = details;
        for figure in [
            figure("step p50", steps.p50(), commits.p50())
                .target(Target::RatioAtMost(1.5))
                .detail(of_steps),
            figure("step p99", steps.p99(), commits.p99()),
            figure("start to result p50", runs.p50(), commits.p50())
                .target(Target::RatioAtMost(6.0))
                .detail(of_runs),
            figure("start to result p99", runs.p99(), commits.p50()),
        ] {
            session.report.add(figure);
        }
    }
    Ok(())
}

async fn round(session: &mut Session, kind: StoreKind, times: &mut Times) -> Result<()> {
    let state_bytes = session.options.state_bytes;
    let commits = SingleCommits::open(&mut session.databases, kind, state_bytes).await?;
    let system = System::start(&mut session.databases, kind, |worker| worker).await?;
    // In a task, as in a program: what waits in the main function wakes another thread.
    let taken = tokio::spawn(turns(commits, system.client.clone())).await??;
    times.commits.extend(taken.commits);
    times.steps.extend(taken.steps);
    times.runs.extend(taken.runs);
    system.stop().await?;
    Ok(())
}

async fn turns(mut commits: SingleCommits, client: Client) -> Result<Times> {
    let mut times = Times::default();
    let step_count = u32::try_from(STEPS * (WARM_UP + TURNS_EACH))?;
    let stepping = client.start(turned_steps(0, step_count, TEXT.to_owned())).await?;
    for turn in 0..WARM_UP + TURNS_EACH {
        let commits = commits.take(STEPS).await?;
        let marks = TURNS[0].take(u32::try_from(STEPS)?).await;
        let mut runs = Vec::with_capacity(RUNS);
        for _ in 0..RUNS {
            let begin = Instant::now();
            client.start(steps(1, TEXT.to_owned())).await?.result().await?;
            runs.push(begin.elapsed());
        }
        if turn >= WARM_UP {
            times.commits.extend(commits);
            times.steps.extend(marks.windows(2).map(|pair| pair[1] - pair[0]));
            times.runs.extend(runs);
        }
    }
    stepping.result().await?;
    Ok(times)
}
