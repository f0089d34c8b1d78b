//! The program that is killed while it books trips: `piton-travel-desk FOLDER` drives its runs to their end, then
//! writes how they closed into `FOLDER/results.txt`, one word per run.

use std::path::PathBuf;

use piton::prelude::*;
use piton_crash_tests::trips::{Desk, Fate, TRIPS, book_trip};

#[tokio::main]
async fn main() -> piton::Result<()> {
    let folder = std::env::args().nth(1).map(PathBuf::from);
    let Some(folder) = folder else { bail!("usage: piton-travel-desk FOLDER") };
    let client = Client::connect(&format!("sqlite:{}", folder.join("runs.db").display())).await?;
    let worker = Worker::new(&client).provide(Desk::open(&folder)?).start().await?;
    println!("ready");

    let mut runs = Vec::new();
    for number in 0..TRIPS {
        let id = format!("trip-{number}");
        let run = match client.run::<book_trip>(id.as_str()).await {
            Ok(run) => run,
            Err(_) => client.start(book_trip(number)).id(id).await?,
        };
        if Fate::of(number) == Fate::CalledOff {
            // An earlier process may have completed it.
            let _ = run.cancel("no holidays").dedup_key("call off").await;
        }
        runs.push(run);
    }
    let mut ends = String::new();
    for run in runs {
        // The status has the result.
        let _ = run.result().await;
        ends.push_str(&format!("{}\n", run.status().await?.status));
    }
    worker.shutdown().await?;
    std::fs::write(folder.join("results.txt"), ends)?;
    Ok(())
}
