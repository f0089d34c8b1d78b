use piton::prelude::*;

#[activity]
async fn greet(name: impl Into<String>) -> impl Iterator<Item = u8> {
    drop(name.into());
    std::iter::empty()
}

fn main() {}
