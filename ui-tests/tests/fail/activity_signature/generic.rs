use piton::prelude::*;

#[activity]
async fn store<T: serde::Serialize>(value: T) {
    drop(value);
}

fn main() {}
