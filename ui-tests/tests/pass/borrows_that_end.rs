use piton::prelude::*;

#[activity]
async fn step(number: u64) -> u64 {
    number
}

#[workflow]
async fn run() -> usize {
    let words = vec![String::from("a")];
    let length = words.iter().map(String::len).sum::<usize>();
    step(length as u64).await;
    let again = &words;
    step(1).await;
    again.len()
}
