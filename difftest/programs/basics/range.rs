//! Ranges with awaits in them.

#[workflow]
async fn program(cx: &Context, n: i64) -> Vec<i64> {
    let mut out = Vec::new();
    for i in note(0)..act(0).await {
        out.push(i);
    }
    for i in n..=act(n).await.min(n + 2) {
        out.push(act(i).await);
    }
    out
}
