//! Bills customers month by month: `billing DATABASE`. See `piton_examples::billing`.

use piton::prelude::*;
use piton_examples::billing::{BILLS, Office, open};

#[tokio::main]
async fn main() -> piton::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [database] = &arguments[..] else { bail!("usage: billing DATABASE") };
    let client = Client::connect(&format!("sqlite:{database}")).await?;
    let office = Office::default();
    office.add("ada", 1_900);
    office.add("ben", 2_900);
    let worker = Worker::new(&client).provide(office).start().await?;
    open(&client).await?;
    for next in client.schedule(BILLS).describe().await?.next {
        println!("due at {next}");
    }
    tokio::signal::ctrl_c().await?;
    worker.shutdown().await?;
    Ok(())
}
