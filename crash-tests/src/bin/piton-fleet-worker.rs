//! One worker of a fleet: `piton-fleet-worker URL FOLDER LEASE_MS` serves the runs in the database
//! until its input ends, then shuts down in order. Its activities find the ledger and the gate in
//! the folder; `PITON_PARK_AFTER_MS` and `PITON_MAX_RUNS` are the options of these names. It serves the queue that `tally`
//! uses; with `PITON_QUEUE` that one, and no workflows.

use std::path::PathBuf;
use std::time::Duration;

use piton::prelude::*;
use piton::worker::Queue;
use piton_crash_tests::gate::Gate;
use piton_crash_tests::ledger::Ledger;
use piton_crash_tests::progress::Drawer;
use tokio::io::AsyncReadExt as _;

#[tokio::main]
async fn main() -> piton::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [url, folder, lease_ms] = arguments.as_slice() else {
        bail!("usage: piton-fleet-worker URL FOLDER LEASE_MS");
    };
    let folder = PathBuf::from(folder);
    let client = Client::connect(url).await?;
    let park_after = match std::env::var("PITON_PARK_AFTER_MS") {
        Ok(ms) => ms.parse()?,
        Err(_) => 60_000,
    };
    let worker = Worker::new(&client)
        .park_after(Duration::from_millis(park_after))
        .lease(Duration::from_millis(lease_ms.parse()?))
        .provide(Ledger::open(&folder)?)
        .provide(Gate::new(&folder))
        .provide(Drawer::new(&folder));
    let worker = match std::env::var("PITON_MAX_RUNS") {
        Ok(most) => worker.max_runs(most.parse()?),
        Err(_) => worker,
    };
    let worker = match std::env::var("PITON_QUEUE") {
        Ok(queue) => worker.queue(wide(&queue)).without_workflows(),
        Err(_) => worker.queue(wide("near")),
    };
    let worker = worker.start().await?;
    println!("ready");
    tokio::io::stdin().read_to_end(&mut Vec::new()).await?;
    worker.shutdown().await?;
    client.close().await;
    Ok(())
}

/// A queue whose attempts are limited by the worker alone.
fn wide(name: &str) -> Queue {
    Queue::new(name).max_concurrent(usize::MAX)
}
