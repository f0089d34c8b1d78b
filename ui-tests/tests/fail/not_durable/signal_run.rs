use piton::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(Signal, Serialize, Deserialize)]
struct Go(u32);

#[workflow]
async fn tell(cx: &Context, other: String) {
    cx.signal_run(other, Go(7)).await;
}

fn main() {}
