//! The killed program of the march: `piton-marcher URL FOLDER strict|relaxed|careful`. At the end it prints `arrived`.
//! With `serve` in place of a mode it starts a march of each and serves until a signal ends it. With `wait` it starts a
//! run whose first activity waits at the gate in the folder, and gives it 300 ms to end when a signal comes.

use std::path::PathBuf;
use std::time::Duration;

use piton::machine::{Workflow, WorkflowCall};
use piton::prelude::*;
use piton_crash_tests::gate::{Gate, gated};
use piton_crash_tests::ledger::Ledger;
use piton_crash_tests::march::{RUNS, STEPS, careful_march, relaxed_march, strict_march};

#[tokio::main]
async fn main() -> piton::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [url, folder, mode] = arguments.as_slice() else {
        bail!("usage: piton-marcher URL FOLDER strict|relaxed|careful");
    };
    let client = Client::connect(url).await?;
    let ledger = Ledger::open(&PathBuf::from(folder))?;
    let worker = Worker::new(&client).provide(ledger).provide(Gate::new(&PathBuf::from(folder)));
    if mode == "wait" {
        let worker = worker.shutdown_grace(Duration::from_millis(300)).start().await?;
        client.start(gated(1)).id("waits").on_conflict(OnConflict::UseExisting).await?;
        let served = worker.run_until_signal();
        println!("ready");
        return served.await;
    }
    let worker = worker.start().await?;
    if mode == "serve" {
        client.start(strict_march()).id("strict").on_conflict(OnConflict::UseExisting).await?;
        client.start(relaxed_march()).id("relaxed").on_conflict(OnConflict::UseExisting).await?;
        let served = worker.run_until_signal();
        println!("ready");
        return served.await;
    }
    match mode.as_str() {
        "strict" => march(&client, strict_march).await?,
        "careful" => march(&client, careful_march).await?,
        _ => march(&client, relaxed_march).await?,
    }
    worker.shutdown().await?;
    println!("arrived");
    Ok(())
}

async fn march<W>(client: &Client, call: fn() -> WorkflowCall<W>) -> piton::Result<()>
where
    W: Workflow<Output = u32, Error = piton::Error>,
{
    let mut runs = Vec::new();
    for number in 0..RUNS {
        let start = client.start(call()).id(format!("march-{number}"));
        runs.push(match client.run::<W>(format!("march-{number}").as_str()).await {
            Ok(run) => run,
            Err(_) => start.await?,
        });
    }
    for run in runs {
        let sum = run.result().await.map_err(piton::Error::msg)?;
        ensure!(sum == STEPS * (STEPS - 1) / 2, "the sum is {sum}");
    }
    Ok(())
}
