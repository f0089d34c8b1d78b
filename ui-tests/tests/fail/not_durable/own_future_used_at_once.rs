use piton::prelude::*;

async fn plain() -> u64 {
    1
}

async fn failing() -> Result<u64, String> {
    Ok(1)
}

#[activity]
async fn step(value: u64) -> u64 {
    value
}

#[workflow]
async fn asked() -> Result<u64, String> {
    let value = failing().await?;
    Ok(step(value).await)
}

#[workflow]
async fn mapped() -> Result<u64, piton::Error> {
    let value = failing().await.map_err(piton::Error::msg)?;
    Ok(step(value).await)
}

#[workflow]
async fn summed() -> u64 {
    let mut sum = 0;
    for index in 0..3 {
        sum += plain().await;
        step(index).await;
    }
    sum
}

#[workflow]
async fn matched() -> u64 {
    match plain().await {
        0 => 1,
        value => step(value).await,
    }
}

fn main() {}
