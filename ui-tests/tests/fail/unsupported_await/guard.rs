use piton::prelude::*;

#[activity]
async fn good(number: u64) -> bool {
    number > 1
}

#[workflow]
async fn run(number: Option<u64>) -> u64 {
    let large = matches!(number, Some(number) if good(number).await);
    match number {
        Some(number) if number > 0 && good(number).await => number + u64::from(large),
        _ => 0,
    }
}

fn main() {}
