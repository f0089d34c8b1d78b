use std::time::Duration;

use piton::prelude::*;

#[workflow]
async fn run() {
    tokio::time::sleep(Duration::from_secs(1)).await;
}

fn main() {}
