use piton::prelude::*;

#[activity]
async fn step(number: u64) -> u64 {
    number
}

/// Refused; those who call it are checked all the same.
#[workflow]
async fn greet(name: &str) -> Result<u64, String> {
    Ok(step(name.len() as u64).await)
}

#[workflow]
async fn caller() -> Result<u64, String> {
    let (a, b) = join!(greet("a"), greet("b"));
    Ok(greet("c").await? + a? + b?)
}

fn graph() -> usize {
    greet::GRAPH.nodes().len()
}

fn main() {}
