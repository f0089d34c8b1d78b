//! A request to cancel, awaited beside the work, with cleaning up.

#[workflow]
async fn program(cx: &Context, n: i64) -> Result<i64, String> {
    let mut done = 0;
    for i in 0..4 {
        select! {
            x = act(n + i) => done += x,
            cancelled = cx.cancelled() => {
                tick().await;
                return Err(concat(&cancelled.reason, &done.to_string()).await);
            }
        }
    }
    Ok(done)
}
