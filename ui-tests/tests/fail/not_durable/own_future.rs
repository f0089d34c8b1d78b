use piton::prelude::*;

async fn plain() -> u64 {
    1
}

#[workflow]
async fn run() {
    let _ = plain().await;
}

fn main() {}
