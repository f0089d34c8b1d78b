//! The program that gets killed while it serves a schedule: `piton-ticker FOLDER`. Several may serve it at a time.

use std::path::PathBuf;

use piton::prelude::*;
use piton_crash_tests::ticks::{check, create, finish};

#[tokio::main]
async fn main() -> piton::Result<()> {
    let folder = std::env::args().nth(1).map(PathBuf::from);
    let Some(folder) = folder else { bail!("usage: piton-ticker FOLDER") };
    let client = Client::connect(&format!("sqlite:{}", folder.join("runs.db").display())).await?;
    let worker = Worker::new(&client).start().await?;
    println!("ready");
    create(&client).await?;
    finish(&client).await?;
    check(&client).await?;
    worker.shutdown().await
}
