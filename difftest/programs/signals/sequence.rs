//! Signals taken in turn, of two types.

#[workflow]
async fn program(cx: &Context, n: i64) -> String {
    let Bump(first) = cx.signal::<Bump>().await;
    let mut sum = first + n;
    while sum < 80 {
        sum += cx.signal::<Bump>().await.0;
        act(sum).await;
    }
    let by = cx.signal::<Approve>().await.by;
    concat(&by, &sum.to_string()).await
}
