use piton::prelude::*;

const LIMIT: u64 = 3;

mod limits {
    pub const HIGH: u64 = 9;
}

#[activity]
async fn stock(item: u64) -> u64 {
    item
}

#[activity]
async fn place(item: u64) -> (u64, String) {
    (item, String::new())
}

#[workflow]
async fn run(number: u64) -> u64 {
    select! {
        LIMIT = stock(number) => 1,
        limits::HIGH = stock(2) => 2,
        (LIMIT, _) = place(3) => 3,
        left = stock(4) => match left {
            LIMIT => 4,
            _ => 5,
        },
    }
}

fn main() {}
