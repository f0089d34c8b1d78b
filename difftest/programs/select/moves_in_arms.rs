//! A local that one arm moves and another borrows.

#[workflow]
async fn program(cx: &Context, n: i64) -> String {
    let text = fetch("mine").await;
    let other = fetch("other").await;
    select! {
        x = act(n) => text + &x.to_string(),
        _ = cx.sleep(seconds(3)) => concat(&text, &other).await,
        Approve { by } = cx.signal() => {
            let both = [text, by];
            both.join(&other)
        }
    }
}
