use piton::prelude::*;

#[activity]
async fn step(number: u64) -> u64 {
    number
}

struct Line {
    number: u64,
}

macro_rules! show {
    ($value:expr) => {
        format!("{} = {}", stringify!($value), $value)
    };
}

macro_rules! shown {
    ($value:expr) => {
        show!($value)
    };
}

macro_rules! field {
    ($of:expr, $name:ident) => {
        $of.$name
    };
}

macro_rules! made {
    ($name:ident: $value:expr) => {
        Line { $name: $value }
    };
}

macro_rules! double {
    ($value:expr) => {
        $value * 2
    };
}

#[workflow]
async fn run() {
    let number = 1;
    let first = show!(number);
    let number = step(number).await + first.len() as u64;
    let second = shown!(number);
    let line = Line { number };
    step(field!(line, number)).await;
    let line = made!(number: 3);
    step(second.len() as u64 + line.number + double!(number)).await;
}

fn main() {}
