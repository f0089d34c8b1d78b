//! A `select!` as an argument and as an operand.

#[workflow]
async fn program(cx: &Context, n: i64) -> i64 {
    let base = act(n).await;
    add(
        note(base),
        select! {
            x = act(1) => x,
            Bump(x) = cx.signal() => x,
        },
    )
    .await
        + select! { x = act(base) => x, _ = tick() => note(0) }
}
