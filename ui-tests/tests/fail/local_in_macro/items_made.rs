use piton::prelude::*;

#[activity]
async fn step(number: u64) -> u64 {
    number
}

macro_rules! make {
    ($name:ident) => {
        fn $name(number: u64) -> u64 {
            number + 1
        }
    };
    (called $name:ident) => {
        fn $name(number: u64) -> u64 {
            number + 1
        }
        $name(0);
    };
}

#[workflow]
async fn run(number: u64) -> u64 {
    make!(called increased);
    if step(number).await > 1 {
        make!(doubled);
        step(1).await;
        doubled(1);
    }
    increased(number)
}

fn main() {}
