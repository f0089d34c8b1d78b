//! What a workflow ends with is of the type that it says it returns.

use piton::prelude::*;

#[activity]
async fn step(number: u64) -> u64 {
    number
}

#[workflow]
async fn value(number: u64) -> String {
    let found = step(number).await;
    found
}

#[workflow]
async fn not_wrapped(number: u64) -> Result<u64, String> {
    let found = step(number).await;
    if found > 3 {
        return found;
    }
    Ok(found)
}

#[workflow]
async fn question(number: u64) -> Option<u64> {
    step(number).await.checked_add(1)?
}

#[workflow]
async fn nothing(number: u64) -> String {
    step(number).await;
}

#[workflow]
async fn nothing_said(number: u64) {
    step(number).await
}

#[workflow]
async fn in_a_block(number: u64) -> u64 {
    let (found, ()) = join!(
        async {
            if step(number).await > 3 {
                return 3;
            }
            "none"
        },
        async {
            step(number).await;
        }
    );
    found
}

fn main() {}
