//! Operations that are started early and awaited late, or given up.

#[workflow]
async fn program(cx: &Context, n: i64) -> Vec<i64> {
    let first = cx.spawn(act(n));
    let second = cx.spawn(act(n + 1));
    let timer = cx.spawn(cx.sleep(seconds(20)));
    let mut seen = vec![act(n + 2).await];
    if n > 2 {
        seen.push(first.await);
        second.cancel();
    } else {
        first.cancel();
        tick().await;
        seen.push(second.await);
    }
    timer.await;
    seen.push(note(act(n + 3).await));
    seen
}
