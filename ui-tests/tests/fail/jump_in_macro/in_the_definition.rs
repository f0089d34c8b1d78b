use piton::prelude::*;

#[activity]
async fn step(number: u64) -> u64 {
    number
}

macro_rules! stop_if {
    ($done:expr) => {
        if $done {
            break;
        }
    };
}

macro_rules! get {
    ($value:expr) => {
        $value?
    };
}

#[workflow]
async fn run(text: String) -> piton::Result<u64> {
    let mut number = get!(text.parse::<u64>());
    loop {
        number = step(number).await;
        stop_if!(number > 3);
    }
    Ok(number)
}

fn main() {}
