//! A shared borrow of a saved local, used again after an await.

#[workflow]
async fn program(n: i64) -> String {
    let text = fetch("owned").await;
    let view = &text;
    let first = concat(view, "1").await;
    let length = view.len();
    tick().await;
    format!("{first}{view}{length}{}", act(n).await)
}
