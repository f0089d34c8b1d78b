//! The program that is killed while its runs count: `piton-counter FOLDER` drives them to their end and checks their
//! results.

use std::path::PathBuf;
use std::time::Duration;

use piton::prelude::*;
use piton_crash_tests::counts::count;

#[tokio::main]
async fn main() -> piton::Result<()> {
    let Some(folder) = std::env::args_os().nth(1).map(PathBuf::from) else {
        bail!("usage: piton-counter FOLDER");
    };
    let client = Client::connect(&format!("sqlite:{}", folder.join("runs.db").display())).await?;
    // Parks waiting runs at once.
    let worker = Worker::new(&client).park_after(Duration::ZERO).start().await?;
    println!("ready");
    count(&client, &folder).await?;
    worker.shutdown().await
}
