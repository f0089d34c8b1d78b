//! Branches with and without awaits.

crate::harness::program! {
    async fn if_else(cx: &Context, n: i64) -> i64 {
        let x = if flag(n).await { step(1).await } else { seen(2) };
        let y = if n > 2 { seen(3) } else { step(x).await };
        if n == 1 {
            step(100).await;
        }
        if n > 100 {
            step(1).await
        } else if flag(n + 1).await {
            step(2).await + y
        } else {
            x
        }
    }
    (1) (2) (3)
}
