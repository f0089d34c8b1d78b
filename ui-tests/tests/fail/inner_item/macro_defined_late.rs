//! A macro is there from its definition on, and in a workflow from the beginning of the body.

use piton::prelude::*;

#[activity]
async fn price(item: u64) -> u64 {
    item
}

macro_rules! raised {
    ($number:expr) => {
        $number + 1
    };
}

#[workflow]
async fn of_the_file(item: u64) -> u64 {
    let first = price(raised!(item)).await;
    macro_rules! raised {
        ($number:expr) => {
            $number * 2
        };
    }
    price(raised!(first)).await
}

#[workflow]
async fn of_the_body(item: u64) -> u64 {
    macro_rules! doubled {
        ($number:expr) => {
            $number * 2
        };
    }
    let first = price(doubled!(item)).await;
    macro_rules! doubled {
        ($number:expr) => {
            $number + $number
        };
    }
    price(doubled!(first)).await
}

fn main() {}
