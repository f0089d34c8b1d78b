//! Activities and workflows as methods.

use piton::prelude::*;
use serde::{Deserialize, Serialize};

use crate::rig::Rig;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Basket {
    items: Vec<String>,
}

#[derive(Debug, Serialize, Deserialize)]
struct Full;

impl Basket {
    #[activity]
    async fn empty() -> Self {
        Self { items: Vec::new() }
    }

    #[activity(retry(initial = "1s", non_retryable = [Full]))]
    async fn add(&self, cx: &ActivityContext, item: &str) -> Result<Self, Full> {
        if self.items.len() == 2 {
            return Err(Full);
        }
        let mut items = self.items.clone();
        items.push(format!("{item} of {}", cx.info().name));
        Ok(Self { items })
    }

    #[workflow]
    async fn fill(items: Vec<String>) -> Self {
        let mut basket = Self::empty().await;
        for item in items {
            match basket.add(&item).await {
                Ok(more) => basket = more,
                Err(_) => break,
            }
        }
        basket
    }
}

#[tokio::test(start_paused = true)]
async fn methods_are_called_and_carried_out() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let items = ["tea", "milk", "bread"].map(str::to_owned).to_vec();
    let run = rig.client.start(Basket::fill(items)).id("basket").await.unwrap();
    let basket = run.result().await.unwrap();
    assert_eq!(basket.items, ["tea of Basket::add", "milk of Basket::add"]);
    assert_eq!(run.status().await.unwrap().workflow, "Basket::fill");
    worker.shutdown().await.unwrap();
}
