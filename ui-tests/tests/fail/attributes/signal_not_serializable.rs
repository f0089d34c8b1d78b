use piton::prelude::*;

#[derive(Signal, serde::Serialize)]
struct Approve {
    _by: String,
}

#[derive(Signal)]
struct Reject;

#[workflow]
async fn decide(cx: &Context) {
    select! {
        _ = cx.signal::<Approve>() => {}
        _ = cx.signal::<Reject>() => {}
    }
}

fn main() {}
