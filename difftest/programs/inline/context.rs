//! Inline workflows that take the context.

#[workflow]
async fn approved(cx: &Context, within: u64) -> Option<String> {
    select! {
        approve = cx.signal::<Approve>() => Some(approve.by),
        _ = cx.sleep(seconds(within)) => None,
    }
}

#[workflow]
async fn program(cx: &Context, n: i64) -> String {
    let first = approved(5).await;
    cx.sleep(seconds(1)).await;
    let second = approved(n as u64).await.unwrap_or_else(|| note("nobody").to_owned());
    format!("{first:?} {second}")
}
