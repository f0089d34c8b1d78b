//! Mistakes of a program lead to errors that name the mistake, and lose no data.

use piton::model::{BlockedReason, RunStatus};
use piton::prelude::*;
use serde::{Deserialize, Serialize, Serializer};

/// A value that refuses to be written when it is zero.
#[derive(Debug, Deserialize)]
struct NotZero(u32);

impl Serialize for NotZero {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            0 => Err(serde::ser::Error::custom("zero must not be stored")),
            number => serializer.serialize_newtype_struct("NotZero", &number),
        }
    }
}

#[activity]
async fn invert(number: NotZero) -> f64 {
    1.0 / f64::from(number.0)
}

#[workflow]
async fn direct(number: NotZero) -> f64 {
    invert(number).await
}

#[workflow]
async fn lowered(number: u32) -> f64 {
    invert(NotZero(number - 1)).await
}

async fn client() -> Client {
    Client::connect("sqlite::memory:").await.expect("a database in memory")
}

#[tokio::test]
async fn an_argument_that_cannot_be_encoded_starts_nothing() {
    let client = client().await;
    let error = client.start(direct(NotZero(0))).id("zero").await.expect_err("refused");
    let text = format!("{:#}", piton::Error::from(error));
    assert!(text.contains("zero must not be stored") && text.contains("NotZero"), "{text}");
    assert_eq!(client.count(piton::filter::Filter::all()).await.expect("reads"), 0);
}

#[tokio::test]
async fn a_call_that_cannot_be_encoded_blocks_the_run_and_says_why() {
    let client = client().await;
    let worker = Worker::new(&client).start().await.expect("starts");
    let good = client.start(lowered(3)).await.expect("starts");
    assert_eq!(good.result().await.expect("completes"), 0.5);

    let run = client.start(lowered(1)).await.expect("starts");
    let record = loop {
        let record = run.status().await.expect("is there");
        if record.status != RunStatus::Running {
            break record;
        }
        tokio::task::yield_now().await;
    };
    assert_eq!(record.status, RunStatus::Blocked);
    let Some(BlockedReason::Invalid(why)) = record.blocked else { panic!("{:?}", record.blocked) };
    assert!(why.contains("zero must not be stored") && why.contains("NotZero"), "{why}");
    worker.shutdown().await.expect("stops");
}
