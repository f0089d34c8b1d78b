//! Options are in parentheses.

use piton::prelude::*;

#[activity = "ship"]
async fn ship() {}

#[workflow = "order.fulfill"]
async fn fulfill() {
    ship().await;
}

fn main() {
    let _ = fulfill();
}
