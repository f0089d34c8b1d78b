//! A table of borrowed rows, some of which are made where it is.

use piton::prelude::*;

#[activity]
async fn act(n: i64) -> i64 {
    n
}

#[workflow]
async fn rows(n: i64) -> i64 {
    let rows: &[&[i64]] = &[&[1, 2], &[n], &[]];
    let mut sum = 0;
    for row in rows {
        sum += act(row.len() as i64).await;
    }
    sum
}

fn main() {}
