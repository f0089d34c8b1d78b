use piton::prelude::*;

#[activity]
async fn step(number: u64) -> u64 {
    number
}

#[workflow]
async fn run(cx: &Context) -> u64 {
    let (sender, mut receiver) = tokio::sync::mpsc::channel(1);
    sender.send(step(1).await).await;
    receiver.recv().await.unwrap()
}

fn main() {}
