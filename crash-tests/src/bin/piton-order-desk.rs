//! The program that is killed while its runs start children: `piton-order-desk FOLDER ORDERS` drives the orders to
//! their end and checks their books.

use std::path::PathBuf;
use std::time::Duration;

use piton::prelude::*;
use piton_crash_tests::orders::{finish, start};

#[tokio::main]
async fn main() -> piton::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [folder, orders] = arguments.as_slice() else {
        bail!("usage: piton-order-desk FOLDER ORDERS");
    };
    let (folder, orders) = (PathBuf::from(folder), orders.parse()?);
    let url = format!("sqlite:{}", folder.join("runs.db").display());
    let client = Client::connect(&url).await?;
    // Parks runs that wait for a child or a receipt.
    let worker = Worker::new(&client).park_after(Duration::ZERO).start().await?;
    println!("ready");
    start(&client, orders).await?;
    finish(&client, &url, &folder, orders).await?;
    worker.shutdown().await
}
