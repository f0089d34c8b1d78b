use piton::prelude::*;

#[activity]
async fn greet(name: String, cx: ActivityContext) {
    drop((name, cx));
}

fn main() {}
