use piton::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize)]
struct Order {
    id: u64,
}

#[activity]
async fn charge(id: u64) -> piton::Result<u64> {
    Ok(id)
}

#[workflow]
async fn half(order: Order) -> piton::Result<u64> {
    let total = charge(order.id).await?;
    let rest = order.;
    Ok(total + rest)
}

#[workflow]
async fn whole(order: Order) -> piton::Result<u64> {
    half(order).await
}

fn main() {}
