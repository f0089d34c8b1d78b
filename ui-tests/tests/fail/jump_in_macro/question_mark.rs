use piton::prelude::*;

#[activity]
async fn step(number: u64) -> u64 {
    number
}

macro_rules! keep {
    ($name:ident => $value:expr) => {
        $value
    };
}

#[workflow]
async fn run(text: String) -> piton::Result<u64> {
    let parsed = keep!(number => text.parse::<u64>()?);
    step(parsed).await;
    Ok(parsed)
}

fn main() {}
