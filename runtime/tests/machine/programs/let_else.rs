//! `let else` with awaits on both sides.

crate::harness::program! {
    async fn let_else(cx: &Context, n: i64) -> i64 {
        let Some(x) = maybe(n).await else {
            return step(99).await;
        };
        let Some(y) = Some(x).filter(|x| *x > 101) else {
            let z = step(x).await;
            return z + 1;
        };
        let (Some(a), b) = (maybe(y).await, y) else { return 0 };
        a + b + step(1).await
    }
    (1) (2) (-1)
}
