//! Chains of conditions and bindings.

#[workflow]
async fn program(cx: &Context, n: i64) -> i64 {
    let n = n - 1;
    let mut total = 0;
    if let Some(x) = maybe(n).await && x > 101 && flag(x).await {
        total += x;
    } else {
        total += act(5).await;
    }
    if n > 0 && let Some(y) = maybe(n + 1).await && let Some(z) = maybe(y).await {
        total += act(z).await + y;
    }
    if let Some(x) = Some(n) && x > 1 {
        total += act(x).await;
    }
    total
}
