//! The right side of an assignment comes first.

#[workflow]
async fn program(cx: &Context, n: i64) -> (i64, i64, Vec<i64>) {
    let mut total = n;
    total += act(total).await;
    total -= act({ total += 1; total }).await;
    let mut v = vec![1, 2, 3];
    v[note(1)] += act(v[2]).await;
    v[act(0).await as usize - 1] = act(v[1]).await;
    let other;
    other = act(total).await * 2;
    (total, other, v)
}
