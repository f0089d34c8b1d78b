//! `join_all` over lists.

#[workflow]
async fn program(cx: &Context, n: i64) -> Vec<i64> {
    let calls: Vec<_> = (0..n).map(act).collect();
    let mut results = join_all(calls).await;
    for more in join_all(list(n).await.into_iter().map(act)).await {
        results.push(more);
    }
    results
}
