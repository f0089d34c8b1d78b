use piton::prelude::*;

#[activity]
async fn step(number: u64) -> u64 {
    number
}

macro_rules! format {
    ($label:literal, $value:expr) => {
        if $label == "on" { $value } else { 0 }
    };
}

macro_rules! numbers {
    ($($number:expr),*) => { [$($number),*] };
}

#[workflow]
async fn run(number: u64) -> u64 {
    macro_rules! vec {
        ($number:expr) => {
            $number + $number
        };
    }
    let sum = number + format!("off", step(number).await) + vec![number];
    numbers![sum, format!("on", number)].iter().sum()
}

fn main() {}
