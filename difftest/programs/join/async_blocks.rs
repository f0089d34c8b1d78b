//! Branches with several awaits go on independently of each other.

#[workflow]
async fn program(cx: &Context, n: i64) -> (i64, String, i64) {
    let base = act(n).await;
    join!(
        async {
            let a = act(base).await;
            let b = act(note(a)).await;
            a + b
        },
        async {
            cx.sleep(seconds(1)).await;
            let text = fetch("b").await;
            note(&text);
            concat(&text, "c").await
        },
        act(base + 1),
    )
}
