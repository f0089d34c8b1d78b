//! Awaits under unary operators and casts.

#[workflow]
async fn program(n: i64) -> (i64, bool, u8, f64) {
    let negated = -act(n).await;
    let not = !flag(n).await;
    let narrow = act(n + 1).await as u8;
    (negated, not, narrow, act(2).await as f64 / 2.0)
}
