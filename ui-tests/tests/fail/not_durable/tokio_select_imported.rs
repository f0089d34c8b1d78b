use piton::prelude::{activity, seconds, workflow, Context};
use tokio::select;

#[activity]
async fn step(number: u64) -> u64 {
    number
}

#[workflow]
async fn run(cx: &Context) {
    select! {
        _ = step(1) => {}
        _ = cx.sleep(seconds(1)) => {}
    }
}

fn main() {}
