use piton::prelude::*;

#[activity]
async fn reason(id: u64) -> String {
    format!("{id}")
}

#[workflow]
async fn check(id: u64) -> u64 {
    assert!(id > 3, "{}", reason(id).await);
    id
}

fn main() {}
