use piton::prelude::*;

#[activity]
async fn step(number: u64) -> u64 {
    number
}

#[workflow]
async fn run(number: u64) -> usize {
    let pair = ("a", number);
    let option = if number > 1 { Some("b") } else { None };
    let mut list: Vec<&'static str> = Vec::new();
    step(1).await;
    list.push(pair.0);
    step(2).await;
    option.map_or(list.len(), str::len)
}

#[workflow]
async fn table(number: u64) {
    for (name, limit) in [("a", number), ("b", 2)] {
        step(limit + name.len() as u64).await;
    }
}

fn main() {}
