//! Awaits one after the other.

crate::harness::program! {
    async fn sequence(cx: &Context, n: i64) -> i64 {
        let a = step(n).await;
        trace("between");
        let b = step(a + 1).await;
        a + b + n
    }
    (1) (2)
}
