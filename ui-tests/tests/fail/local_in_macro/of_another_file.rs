use piton::prelude::*;

/// Makes a macro whose definition does not stand in this file.
macro_rules! elsewhere {
    ($declare:ident, $dollar:tt) => {
        macro_rules! $declare {
            ($dollar name:ident, $dollar value:expr) => {
                let $dollar name = $dollar value;
            };
        }
    };
}

elsewhere!(declare, $);

#[activity]
async fn step(number: u64) -> u64 {
    number
}

#[workflow]
async fn run(number: u64) -> u64 {
    if number > 3 {
        declare!(number, number + 1);
        step(number).await;
    }
    number
}

#[workflow]
async fn of_a_new_name(number: u64) -> u64 {
    declare!(sum, number + 1);
    step(number).await;
    sum
}

fn main() {}
