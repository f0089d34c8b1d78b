//! The program that is killed while its runs send each other notes: `piton-exchange URL SENDERS RECEIVERS LEAVERS
//! NOTES` drives the exchange to its end and checks its books.

use std::time::Duration;

use piton::prelude::*;
use piton_crash_tests::exchange::Exchange;

#[tokio::main]
async fn main() -> piton::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [url, senders, receivers, leavers, notes] = arguments.as_slice() else {
        bail!("usage: piton-exchange URL SENDERS RECEIVERS LEAVERS NOTES");
    };
    let exchange = Exchange {
        senders: senders.parse()?,
        receivers: receivers.parse()?,
        leavers: leavers.parse()?,
        notes: notes.parse()?,
    };
    let client = Client::connect(url).await?;
    // Runs that wait for a timer are parked, like those that wait for a note.
    let worker = Worker::new(&client).park_after(Duration::ZERO).start().await?;
    println!("ready");
    exchange.start(&client).await?;
    exchange.finish(&client, url).await?;
    worker.shutdown().await
}
