//! What one branch assigns after an await does not tell another branch a type.

use piton::prelude::*;

#[activity]
async fn quote(number: u64) -> String {
    number.to_string()
}

#[activity]
async fn count(number: u64) -> u64 {
    number
}

#[workflow]
async fn option(numbers: Vec<u64>) -> u64 {
    let mut best = None;
    for number in numbers {
        match best {
            None => best = Some(quote(number).await),
            Some(ref text) if text.len() > 1 => break,
            Some(_) => {}
        }
    }
    0
}

#[workflow]
async fn number(numbers: Vec<u64>) -> u64 {
    let mut most = 0;
    for number in numbers {
        if number == 0 {
            most = count(number).await;
        } else {
            most = most.pow(2);
        }
    }
    most
}

fn main() {}
