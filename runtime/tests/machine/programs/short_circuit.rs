//! `&&` and `||` evaluate their right side only if they need it.

crate::harness::program! {
    async fn short_circuit(cx: &Context, n: i64) -> (bool, bool, bool) {
        let a = flag(n).await && flag(n + 2).await;
        let b = flag(n).await || flag(n + 1).await;
        let c = seen(n > 1) && (flag(n).await || seen(true)) && !flag(3).await;
        (a, b, c)
    }
    (1) (2)
}
