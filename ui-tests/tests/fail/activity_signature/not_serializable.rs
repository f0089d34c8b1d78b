use piton::prelude::*;

#[derive(serde::Serialize)]
struct Order(u64);

#[activity]
async fn charge(order: &Order) {
    let _ = order.0;
}

fn main() {}
