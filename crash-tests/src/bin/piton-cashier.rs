//! The program that is killed while it completes promises of runs of another process: `piton-cashier FOLDER ORDERS`.

use std::path::PathBuf;

use piton::prelude::*;
use piton_crash_tests::orders::write_receipts;

#[tokio::main]
async fn main() -> piton::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [folder, orders] = arguments.as_slice() else {
        bail!("usage: piton-cashier FOLDER ORDERS");
    };
    let folder = PathBuf::from(folder);
    let client = Client::connect(&format!("sqlite:{}", folder.join("runs.db").display())).await?;
    println!("ready");
    write_receipts(&client, &folder, orders.parse()?).await
}
