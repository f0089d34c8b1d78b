//! `join_all` over lists.

crate::harness::program! {
    async fn join_many(cx: &Context, n: i64) -> Vec<i64> {
        let calls: Vec<_> = (0..n).map(step).collect();
        let mut results = join_all(calls).await;
        for more in join_all(list(n).await.into_iter().map(step)).await {
            results.push(more);
        }
        results
    }
    (0) (1) (4)
}
