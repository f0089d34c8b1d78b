//! A run whose step kills its process, and healthy runs beside it.

use std::hint::black_box;
use std::time::Duration;

use piton::prelude::*;

/// Recurses until the stack ends, in its first step.
#[workflow]
pub async fn dive(depth: u64) -> u64 {
    let bottom = below(depth);
    plod(bottom).await
}

fn below(depth: u64) -> u64 {
    match black_box(depth) {
        u64::MAX => depth,
        depth => below(depth + 1).wrapping_add(black_box(depth)),
    }
}

/// Takes a moment, during which the process may die.
#[activity]
pub async fn plod(number: u64) -> u64 {
    tokio::time::sleep(Duration::from_millis(50)).await;
    number
}

/// A few activities and sleeps.
#[workflow]
pub async fn stroll(cx: &Context, number: u64) -> u64 {
    let mut sum = 0;
    for _ in 0..5 {
        sum += plod(number).await;
        cx.sleep(Duration::from_millis(20)).await;
    }
    sum
}
