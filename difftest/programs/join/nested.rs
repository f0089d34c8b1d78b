//! `join!` within `join!`, `select!` within `join!`, `join!` within `select!`.

#[workflow]
async fn program(cx: &Context, n: i64) -> String {
    let ((a, b), c) = join!(
        async { join!(act(n), async { act(1).await + act(2).await }) },
        async {
            select! {
                x = act(3) => x,
                _ = cx.sleep(seconds(1)) => act(4).await,
            }
        },
    );
    let text = select! {
        (x, y) = async { join!(fetch("x"), fetch("y")) } => x + &y,
        _ = cx.sleep(seconds(2)) => note("late").to_owned(),
    };
    format!("{a} {b} {c} {text}")
}
