//! The `else` of a `let` must not come to its end, where it awaits as elsewhere.

use piton::prelude::*;

#[activity]
async fn find(id: u64) -> Option<u64> {
    (id > 0).then_some(id)
}

#[activity]
async fn report(id: u64) -> u64 {
    id
}

#[workflow]
async fn run(id: u64) -> u64 {
    let Some(first) = find(id).await else {
        report(id).await;
    };
    let Some(second) = find(first).await else {
        if report(first).await > 2 {
            return 0;
        }
    };
    let Some(third) = find(second).await else {
        match report(second).await {
            0 => return 0,
            1 => panic!("reported once"),
            _ => loop {
                if report(second).await > 2 {
                    return 0;
                }
            },
        }
    };
    third
}

fn main() {}
