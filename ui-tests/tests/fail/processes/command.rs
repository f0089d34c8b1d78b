use piton::prelude::*;

#[activity]
async fn step(number: u64) -> u64 {
    number
}

#[workflow]
async fn run() {
    let _ = std::process::Command::new("ls").status();
    step(1).await;
}

fn main() {}
