use piton::prelude::*;

#[activity]
async fn step(number: u64) -> u64 {
    number
}

macro_rules! twice {
    ($value:expr) => {
        $value + $value
    };
}

#[workflow]
async fn run() {
    let _ = twice!(step(1).await);
}

fn main() {}
