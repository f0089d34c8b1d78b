use std::time::Duration;

use piton::prelude::*;

#[workflow]
async fn run(cx: &Context, waits: bool) -> u64 {
    select! {
        () = cx.sleep(Duration::from_secs(60)), if waits => 1,
        else => 0,
    }
}

fn main() {}
