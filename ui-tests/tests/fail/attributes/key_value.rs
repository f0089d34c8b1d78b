//! Options are in parentheses.

use piton::prelude::*;

#[activity = "ship"]
async fn ship() {}

#[workflow = "order.fulfil"]
async fn fulfil() {
    ship().await;
}

fn main() {
    let _ = fulfil();
}
