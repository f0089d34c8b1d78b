//! Books a trip and confirms it at once: `trip DATABASE TRIP`. See `piton_examples::trip`.

use piton::prelude::*;
use piton_examples::trip::{Confirm, Desk, Trip, book_trip};

#[tokio::main]
async fn main() -> piton::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [database, id] = &arguments[..] else { bail!("usage: trip DATABASE TRIP") };
    let client = Client::connect(&format!("sqlite:{database}")).await?;
    let worker = Worker::new(&client).provide(Desk::default()).start().await?;
    let [flight, hotel, car] = ["LH 454", "Hotel Majestic", "Mustang"].map(str::to_owned);
    let trip = Trip { id: id.clone(), flight, hotel, car };
    let run = client.start(book_trip(trip)).id(id).on_conflict(OnConflict::UseExisting).await?;
    run.signal(Confirm).await?;
    for booking in run.result().await? {
        println!("booked {booking}");
    }
    worker.shutdown().await?;
    Ok(())
}
