//! `if let` guards whose scrutinee awaits.

/// A key that is found, or not, depending on `n`.
fn some(n: i64) -> String {
    "x".repeat(n.rem_euclid(5) as usize)
}

#[workflow]
async fn program(n: i64) -> i64 {
    match lookup(&some(n)).await {
        Some(x) if let Some(y) = lookup(&some(x + 1)).await => x + y,
        Some(x) if let Some(y) = lookup(&some(x)).await && y > 2 => act(y).await,
        Some(x) => x,
        None if let Ok(z) = parse("17").await => z,
        None => 0,
    }
}
