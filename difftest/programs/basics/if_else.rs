//! Branches with and without awaits.

#[workflow]
async fn program(cx: &Context, n: i64) -> i64 {
    let x = if flag(n).await { act(1).await } else { note(2) };
    let y = if n > 2 { note(3) } else { act(x).await };
    if n == 1 {
        act(100).await;
    }
    if n > 100 {
        act(1).await
    } else if flag(n + 1).await {
        act(2).await + y
    } else {
        x
    }
}
