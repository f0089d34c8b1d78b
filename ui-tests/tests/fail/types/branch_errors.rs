//! The branches of a `try_join!` fail with one type of error.

use piton::prelude::*;

#[activity]
async fn price(sku: String) -> Result<f64, String> {
    Ok(sku.len() as f64)
}

#[activity]
async fn count(sku: String) -> Result<u64, u64> {
    Ok(sku.len() as u64)
}

#[workflow]
async fn calls() -> bool {
    try_join!(price("a".into()), count("b".into())).is_ok()
}

#[workflow]
async fn block() -> bool {
    let both = try_join!(price("a".into()), async {
        let found = count("b".into()).await;
        Ok::<bool, String>(found.is_ok())
    });
    both.is_ok()
}

fn main() {}
