//! The right side of an assignment comes first.

crate::harness::program! {
    async fn compound_assignment(cx: &Context, n: i64) -> (i64, i64, Vec<i64>) {
        let mut total = n;
        total += step(total).await;
        total -= step({ total += 1; total }).await;
        let mut v = vec![1, 2, 3];
        v[seen(1)] += step(v[2]).await;
        v[step(0).await as usize - 1] = step(v[1]).await;
        let other;
        other = step(total).await * 2;
        (total, other, v)
    }
    (1) (4)
}
