//! Borrows of what is only known when the branches have been gone through.

use piton::prelude::*;

#[activity]
async fn step(number: u64) -> u64 {
    number
}

#[workflow]
async fn assigned(name: String, nick: String, is_known: bool) -> String {
    let mut called = &name;
    if is_known {
        called = &nick;
    }
    step(1).await;
    called.clone()
}

#[workflow]
async fn declared(name: String, nick: String, is_known: bool) -> String {
    let called;
    if is_known {
        called = &nick;
    } else {
        called = &name;
    }
    step(1).await;
    called.clone()
}

fn main() {}
