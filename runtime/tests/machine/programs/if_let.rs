//! `if let` with awaits in scrutinee and branches.

crate::harness::program! {
    async fn if_let(cx: &Context, n: i64) -> i64 {
        let mut total = 0;
        if let Some(x) = maybe(n).await {
            total += step(x).await;
            total += x;
        } else {
            total -= step(1).await;
        }
        if let Some(x) = Some(n).filter(|x| *x > 0) {
            total += step(x).await + x;
        }
        let y = if let (a, Some(b)) = (step(n).await, maybe(n).await) { a + b } else { 7 };
        total + y
    }
    (1) (-1) (0)
}
