use piton::prelude::*;

#[activity]
async fn step(number: u64) -> u64 {
    number
}

#[workflow]
async fn run(cx: &Context) {
    select! {
        _ = step(1), if step(2).await == 0 => {}
        _ = cx.sleep(seconds(1)) => {}
    }
}

fn main() {}
