//! Months are billed one after another, each by a run of its own.

#![allow(missing_docs, clippy::unwrap_used)]

use piton::prelude::*;
use piton::store::MemoryStore;
use piton_examples::collection::{Books, Customer, bill, bill_month};

#[tokio::test(start_paused = true)]
async fn every_month_is_billed_by_a_run_of_its_own() {
    let client = Client::new(MemoryStore::new());
    let worker = Worker::new(&client).start().await.unwrap();
    let customers = [("ann", 500), ("ben", 700), ("cleo", 200_000)];
    let customers = customers.map(|(name, cents)| Customer { name: name.to_owned(), cents });
    let call = bill_month(customers.to_vec(), 1, 3, Books::default());
    let run = client.start(call).id("billing").await.unwrap();
    let books = run.result().await.unwrap();
    assert_eq!(books.cents, 3 * 1_200);
    assert_eq!(books.unpaid, [1, 2, 3].map(|month| (month, "cleo".to_owned())));
    assert_eq!(client.chain("billing").await.unwrap().len(), 3);
    assert_eq!(client.children("billing", 100).await.unwrap().len(), 9);
    let paid = client.run::<bill>("month-2-ann").await.unwrap();
    assert_eq!(paid.result().await.unwrap(), 500);
    worker.shutdown().await.unwrap();
}
