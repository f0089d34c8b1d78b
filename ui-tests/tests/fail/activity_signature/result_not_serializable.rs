use piton::prelude::*;

#[derive(serde::Deserialize)]
struct Receipt;

#[activity]
async fn charge(cents: u64) -> Result<Receipt, String> {
    let _ = cents;
    Ok(Receipt)
}

fn main() {}
