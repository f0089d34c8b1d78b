use piton::prelude::*;

#[activity]
async fn step(number: u64) -> u64 {
    number
}

fn first(text: &str) -> &str {
    &text[..1]
}

#[workflow]
async fn run(name: String, number: u64) -> usize {
    let mut list = vec!["a"];
    list.push(&name);
    let mut pair = ("a", number);
    step(1).await;
    pair.0 = first(&name);
    step(2).await;
    list.len() + pair.0.len()
}

#[workflow]
async fn beside_a_literal(name: String, number: u64) -> usize {
    let both = ("a", first(&name));
    let result = if number > 1 { Ok("a") } else { Err("b") };
    step(1).await;
    both.1.len() + result.map_or_else(str::len, str::len)
}

#[workflow]
async fn table(name: String, number: u64) {
    for (name, limit) in [("a", number), (first(&name), 2)] {
        step(limit + name.len() as u64).await;
    }
}

fn main() {}
