//! Waits for signals that are spawned before others are awaited.

#[workflow]
async fn program(cx: &Context, n: i64) -> String {
    let approve = cx.spawn(cx.signal::<Approve>());
    let Bump(bump) = cx.signal::<Bump>().await;
    let sum = act(bump + n).await;
    let Approve { by } = approve.await;
    concat(&by, &sum.to_string()).await
}
