//! Arms that ignore what they get, and a trailing block without comma.

#[workflow]
async fn program(cx: &Context, n: i64) -> i64 {
    let mut x = n;
    select! {
        _ = list(n) => { x += 1; }
        _ = fetch("ignored") => x += 2,
        Approve { .. } = cx.signal() => { x += act(x).await }
    }
    tick().await;
    x
}
