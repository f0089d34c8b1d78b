//! Ranges with awaits in them.

crate::harness::program! {
    async fn range(cx: &Context, n: i64) -> Vec<i64> {
        let mut out = Vec::new();
        for i in seen(0)..step(0).await {
            out.push(i);
        }
        for i in n..=step(n).await.min(n + 2) {
            out.push(step(i).await);
        }
        out
    }
    (1) (3)
}
