//! A `select!` inside of an arm and inside of an `async` block of another.

#[workflow]
async fn program(cx: &Context, n: i64) -> String {
    select! {
        text = async {
            select! {
                x = act(n) => x.to_string(),
                text = fetch("inner") => text,
            }
        } => concat("nested", &text).await,
        _ = cx.sleep(seconds(9)) => select! {
            ok = flag(n) => ok.to_string(),
            approved = cx.signal::<Approve>() => approved.by,
        },
    }
}
