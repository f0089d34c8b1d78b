use piton::prelude::*;

#[activity]
async fn charge(id: u64) -> u64 {
    id
}

#[workflow]
async fn order(id: u64) -> u64 {
    charge(id).await
}

async fn helper(cx: &Context, id: u64) -> u64 {
    cx.sleep(seconds(1)).await;
    charge(id).await
}

async fn handler(id: u64) -> u64 {
    order(id).await
}

fn main() {}
