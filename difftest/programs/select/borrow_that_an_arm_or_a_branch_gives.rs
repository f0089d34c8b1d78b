//! The value borrows from the same local whether an operation or a branch was first.

#[workflow]
async fn program(n: i64) -> Option<i64> {
    let text = fetch("a").await;
    let f = select! { x = act(1) => &text, y = async { fetch("y").await; &text } => y };
    note(f.len());
    if n > 1 { act(n).await; }
    Some(n)
}
