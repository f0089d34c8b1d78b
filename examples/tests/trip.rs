//! The desk is left with all of a trip or with none of it, however the run ends.

#![allow(clippy::unwrap_used)]

use piton::error::RunError;
use piton::prelude::*;
use piton::store::MemoryStore;
use piton_examples::trip::{Confirm, Desk, Trip, TripError, book_trip};

fn trip() -> Trip {
    let [flight, hotel, car] = ["flight", "hotel", "car"].map(str::to_owned);
    Trip { id: "trip".to_owned(), flight, hotel, car }
}

async fn begun(desk: &Desk) -> (RunHandle<book_trip>, RunningWorker) {
    let client = Client::new(MemoryStore::new());
    let worker = Worker::new(&client).provide(desk.clone()).start().await.unwrap();
    (client.start(book_trip(trip())).await.unwrap(), worker)
}

#[tokio::test(start_paused = true)]
async fn a_confirmed_trip_is_booked() {
    let desk = Desk::default();
    let (run, worker) = begun(&desk).await;
    run.signal(Confirm).await.unwrap();
    assert_eq!(run.result().await.unwrap().len(), 3);
    assert_eq!(desk.booked().len(), 3);
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn nothing_is_left_of_a_trip_that_is_sold_out_or_not_confirmed() {
    for sold_out in ["flight", "hotel", "car"] {
        let desk = Desk::default();
        desk.sell_out(sold_out);
        let (run, worker) = begun(&desk).await;
        let error = run.result().await.unwrap_err();
        assert!(matches!(&error, RunError::Failed(TripError::SoldOut(what)) if what == sold_out));
        assert!(desk.booked().is_empty(), "{:?}", desk.booked());
        worker.shutdown().await.unwrap();
    }
    let desk = Desk::default();
    let (run, worker) = begun(&desk).await;
    let error = run.result().await.unwrap_err();
    assert!(matches!(error, RunError::Failed(TripError::Unconfirmed)));
    assert!(desk.booked().is_empty(), "{:?}", desk.booked());
    worker.shutdown().await.unwrap();
}

/// Once while it books, and once while it waits.
#[tokio::test(start_paused = true)]
async fn nothing_is_left_of_a_trip_that_is_called_off() {
    for wait in [0, 60_000] {
        let desk = Desk::default();
        let (run, worker) = begun(&desk).await;
        tokio::time::sleep(std::time::Duration::from_millis(wait)).await;
        run.cancel("no holidays").await.unwrap();
        let error = run.result().await.unwrap_err();
        assert!(matches!(&error, RunError::Cancelled { reason } if reason == "no holidays"));
        assert!(desk.booked().is_empty(), "{:?}", desk.booked());
        worker.shutdown().await.unwrap();
    }
}
