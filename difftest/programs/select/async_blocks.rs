//! Arms that are `async` blocks with several awaits each.

#[workflow]
async fn program(cx: &Context, n: i64) -> String {
    let name = fetch("name").await;
    let winner = select! {
        x = async {
            let a = act(n).await;
            let b = act(note(a)).await;
            a + b
        } => x.to_string(),
        text = async {
            cx.sleep(seconds(1)).await;
            let text = fetch("slow").await;
            concat(&text, "er").await
        } => text,
    };
    concat(&name, &winner).await
}
