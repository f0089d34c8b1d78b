//! `let else` with awaits on both sides.

#[workflow]
async fn program(cx: &Context, n: i64) -> i64 {
    let n = n - 1;
    let Some(x) = maybe(n).await else {
        return act(99).await;
    };
    let Some(y) = Some(x).filter(|x| *x > 101) else {
        let z = act(x).await;
        return z + 1;
    };
    let (Some(a), b) = (maybe(y).await, y) else { return 0 };
    a + b + act(1).await
}
