use piton::prelude::*;

#[activity]
async fn greet(name: &'static str) -> usize {
    name.len()
}

#[activity]
async fn part(title: Option<&'static str>) -> usize {
    title.map_or(0, str::len)
}

#[workflow]
async fn run() -> usize {
    greet("you").await + part(None).await
}

fn main() {}
