use piton::prelude::*;

#[activity]
async fn step(number: u64) -> u64 {
    number
}

#[workflow]
async fn out_of_a_while(number: u64) -> u64 {
    while number > 5 {
        step(1).await;
        break step(2).await;
    }
    number
}

#[workflow]
async fn out_of_a_for(number: u64) {
    'rounds: for round in 0..number {
        step(round).await;
        loop {
            if round > 3 {
                break 'rounds 5;
            }
        }
    }
}

#[workflow]
async fn to_a_block(number: u64) {
    'once: {
        step(1).await;
        if number > 3 {
            continue 'once;
        }
        if number > 4 {
            step(2).await;
            continue 'once;
        }
    }
}

fn main() {}
