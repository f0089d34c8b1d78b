use piton::prelude::*;

#[derive(Debug)]
struct Own;

#[activity]
async fn fails(number: u64) -> Result<u64, String> {
    Ok(number)
}

#[activity]
async fn finds(number: u64) -> Option<u64> {
    Some(number)
}

#[workflow]
async fn no_result() -> Option<u64> {
    let it = fails(1).await?;
    Some(it)
}

#[workflow]
async fn no_option() -> Result<u64, String> {
    let it = finds(1).await?;
    Ok(it)
}

#[workflow]
async fn other_error() -> Result<u64, u8> {
    let it = fails(1).await?;
    Ok(it)
}

#[workflow]
async fn nothing() {
    fails(1).await?;
}

fn main() {}
