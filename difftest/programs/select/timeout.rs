//! A timer against an activity.

#[workflow]
async fn program(cx: &Context, n: i64) -> Result<i64, String> {
    let started = cx.now();
    let value = select! {
        value = act(n) => value,
        _ = cx.sleep(seconds(30)) => return Err("too late".to_owned()),
    };
    note(cx.now().saturating_since(started));
    Ok(value + act(value).await)
}
