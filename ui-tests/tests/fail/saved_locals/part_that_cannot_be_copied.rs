//! A part that is moved out and assigned back, and cannot be saved by itself.

use piton::prelude::*;
use serde::{Deserialize, Serialize};

struct Parcel(u64);

#[derive(Serialize, Deserialize)]
struct Order {
    id: u64,
    #[serde(skip)]
    parcel: Option<Parcel>,
}

#[activity]
async fn weigh(id: u64) -> u64 {
    id
}

#[workflow]
async fn run(mut order: Order) -> Order {
    let parcel = order.parcel;
    let weight = parcel.map_or(0, |parcel| parcel.0);
    let weight = weigh(weight + order.id).await;
    order.parcel = Some(Parcel(weight));
    order
}

fn main() {}
