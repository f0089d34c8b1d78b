use piton::prelude::*;

#[activity]
async fn greet(names: Vec<&str>) -> &'static str {
    drop(names);
    "hello"
}

fn main() {}
