//! Values nested deeper than piton writes.

use piton::error::{SignalError, StartError};
use piton::model::BlockedReason;
use piton::prelude::*;
use serde::{Deserialize, Serialize};

use crate::rig::Rig;

/// Deeper than the limit, and shallow enough to be dropped without a stack overflow.
const TOO_DEEP: u32 = 2_000;

#[derive(Default, Serialize, Deserialize)]
struct Chain {
    next: Option<Box<Chain>>,
}

impl Chain {
    fn of(length: u32) -> Self {
        (0..length).fold(Self::default(), |next, _| Self { next: Some(Box::new(next)) })
    }

    fn length(&self) -> u32 {
        let links = std::iter::successors(self.next.as_deref(), |link| link.next.as_deref());
        links.map(|_| 1).sum()
    }
}

#[derive(Signal, Serialize, Deserialize)]
struct Links(Chain);

#[activity]
async fn forge_chain(length: u32) -> Chain {
    Chain::of(length)
}

#[workflow]
async fn keep_chain(cx: &Context, length: u32) -> u32 {
    let chain = Chain::of(length);
    cx.sleep(seconds(1)).await;
    chain.length()
}

#[workflow]
async fn order_chain(length: u32) -> u32 {
    forge_chain(length).await.length()
}

#[workflow]
async fn measure_chain(cx: &Context, chain: Chain) -> u32 {
    let Links(more) = cx.signal::<Links>().await;
    chain.length() + more.length()
}

fn is_too_deep(text: &str) -> bool {
    text.contains(
        "Chain` cannot be encoded: it is nested more than 128 levels deep; keep its parts",
    )
}

#[tokio::test(start_paused = true)]
async fn a_local_that_is_too_deep_blocks_its_run() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let deep = rig.client.start(keep_chain(TOO_DEEP)).await.unwrap();
    let Some(BlockedReason::Invalid(why)) = rig.until_blocked(&deep).await.blocked else {
        panic!("it is blocked for another reason");
    };
    assert!(is_too_deep(&why), "{why}");
    let shallow = rig.client.start(keep_chain(128)).await.unwrap();
    assert_eq!(shallow.result().await.unwrap(), 128);
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_result_that_is_too_deep_fails_its_activity() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let deep = rig.client.start(order_chain(TOO_DEEP)).await.unwrap();
    let error = format!("{:#}", piton::Error::from(deep.result().await.unwrap_err()));
    assert!(is_too_deep(&error), "{error}");
    let shallow = rig.client.start(order_chain(128)).await.unwrap();
    assert_eq!(shallow.result().await.unwrap(), 128);
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn an_argument_or_a_signal_that_is_too_deep_is_refused() {
    let rig = Rig::new();
    match rig.client.start(measure_chain(Chain::of(TOO_DEEP))).await {
        Err(StartError::Arguments { source, .. }) => {
            assert!(is_too_deep(&source.to_string()), "{source}");
        }
        other => panic!("{:?}", other.map(drop)),
    }
    let run = rig.client.start(measure_chain(Chain::of(128))).await.unwrap();
    match run.signal(Links(Chain::of(TOO_DEEP))).await {
        Err(SignalError::Encode { source, .. }) => {
            assert!(source.to_string().contains("128 levels deep"), "{source}");
        }
        other => panic!("{:?}", other.map(drop)),
    }
    run.signal(Links(Chain::of(128))).await.unwrap();
    let worker = rig.worker().start().await.unwrap();
    assert_eq!(run.result().await.unwrap(), 256);
    worker.shutdown().await.unwrap();
}
