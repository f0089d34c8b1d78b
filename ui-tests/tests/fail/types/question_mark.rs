use piton::prelude::*;

#[activity]
async fn fails() -> Result<u64, String> {
    Err("no".into())
}

#[workflow]
async fn run() -> u64 {
    fails().await?
}

fn main() {}
