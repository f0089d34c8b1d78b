//! Binary and unary operators, casts, comparisons.

crate::harness::program! {
    async fn operators(cx: &Context, n: i64) -> (i64, bool, bool, f64) {
        let sum = seen(n) + step(n).await * -step(2).await;
        let less = text(n).await < text(n + 1).await;
        let name = text(1).await;
        let same = name == text(1).await;
        let not = !flag(n).await;
        trace(&name);
        (sum, less && not, same, step(n).await as f64 / 2.0)
    }
    (1) (2)
}
