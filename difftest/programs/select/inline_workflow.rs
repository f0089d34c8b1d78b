//! Inline calls as arms; the loser's operations are given up.

#[workflow]
async fn program(cx: &Context, n: i64) -> i64 {
    let x = select! {
        x = slow(n) => x,
        x = quick(n + 1) => x + 1000,
        _ = cx.sleep(hours(1)) => 0,
    };
    act(x).await
}

#[workflow]
async fn slow(n: i64) -> i64 {
    let a = act(n).await;
    let b = act(a).await;
    act(b).await
}

#[workflow]
async fn quick(n: i64) -> i64 {
    if flag(n).await { act(n).await } else { slow(n).await }
}
