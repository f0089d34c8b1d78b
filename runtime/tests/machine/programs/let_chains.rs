//! Chains of conditions and bindings.

crate::harness::program! {
    async fn let_chains(cx: &Context, n: i64) -> i64 {
        let mut total = 0;
        if let Some(x) = maybe(n).await && x > 101 && flag(x).await {
            total += x;
        } else {
            total += step(5).await;
        }
        if n > 0 && let Some(y) = maybe(n + 1).await && let Some(z) = maybe(y).await {
            total += step(z).await + y;
        }
        if let Some(x) = Some(n) && x > 1 {
            total += step(x).await;
        }
        total
    }
    (1) (2) (-1)
}
