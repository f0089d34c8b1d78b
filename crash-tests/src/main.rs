//! The killed program: `piton-crash-tests FOLDER` drives its runs to their end, then writes their results to
//! `FOLDER/results.txt`, one `Debug` line per run.

use std::path::PathBuf;

use piton::client::OnConflict;
use piton::prelude::*;
use piton::worker::Queue;
use piton_crash_tests::ledger::Ledger;
use piton_crash_tests::workload::{Proceed, RUNS, tally};

#[tokio::main]
async fn main() -> piton::Result<()> {
    let Some(folder) = std::env::args_os().nth(1).map(PathBuf::from) else {
        bail!("usage: piton-crash-tests FOLDER");
    };
    let database = format!("sqlite:{}", folder.join("runs.db").display());
    let client = Client::connect(&database).await?;
    let ledger = Ledger::open(&folder)?;
    let worker = Worker::new(&client)
        .provide(ledger)
        .queue(Queue::new("near").max_concurrent(1_000))
        .start()
        .await?;
    println!("ready");

    let mut runs = Vec::new();
    for number in 0..RUNS {
        let id = format!("tally-{number}");
        let run = match client.run::<tally>(id.as_str()).await {
            Ok(run) => run,
            Err(_) => {
                client.start(tally(number)).id(id).on_conflict(OnConflict::UseExisting).await?
            }
        };
        let proceed = Proceed { by: "the test".into() };
        match run.signal(proceed).dedup_key("proceed").await {
            Ok(_) | Err(SignalError::Closed { .. }) => runs.push(run),
            Err(error) => return Err(error.into()),
        }
    }
    let mut results = String::new();
    for run in runs {
        results.push_str(&format!("{:?}\n", run.result().await?));
    }
    worker.shutdown().await?;
    std::fs::write(folder.join("results.txt"), results)?;
    Ok(())
}
