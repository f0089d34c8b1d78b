//! Alternatives of which another one may match once what they bind has been changed.

use piton::prelude::*;

#[activity]
async fn step(number: u64) -> u64 {
    number
}

#[workflow]
async fn by_number(mut pair: (u64, u64)) -> (u64, u64) {
    if let (a, 5) | (5, a) = &mut pair {
        *a = 5;
        step(1).await;
        *a = 9;
    }
    pair
}

#[workflow]
async fn by_variant(mut pair: (Option<u64>, Option<u64>)) -> (Option<u64>, Option<u64>) {
    if let (None, x) | (x, None) = &mut pair {
        *x = None;
        step(1).await;
        *x = Some(1);
    }
    pair
}

/// No other alternative could match, but which one it was would have to be found out from the fields.
#[workflow]
async fn by_variant_alone(mut both: Result<u64, u64>) -> Result<u64, u64> {
    match &mut both {
        Ok(n) | Err(n) => {
            step(1).await;
            *n = 1;
        }
    }
    both
}

#[workflow]
async fn beside(mut all: (u64, u64, bool)) -> (u64, u64, bool) {
    if let (ref a, _, true) | (_, ref a, _) = all {
        all.2 = true;
        step(1).await;
        step(*a).await;
    }
    all
}

#[workflow]
async fn by_guard(pair: (u64, u64)) -> u64 {
    match &pair {
        (1, x) | (x, _) if *x == 1 => {
            step(1).await;
            *x
        }
        _ => 0,
    }
}

fn main() {}
