use piton::prelude::*;

#[activity]
async fn fails() -> Result<u64, String> {
    Err("no".into())
}

#[workflow]
async fn run() -> Result<u64, String> {
    let number = fails().await.map_err(|error| error.to_string())?;
    Ok(number + fails().await?)
}

fn main() {}
