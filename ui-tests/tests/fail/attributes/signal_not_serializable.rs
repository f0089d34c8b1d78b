use piton::prelude::*;

#[derive(Signal, serde::Serialize)]
struct Approve {
    _by: String,
}

fn main() {}
