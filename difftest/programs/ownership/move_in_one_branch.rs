//! A value moved in one branch and used in the other.

#[workflow]
async fn program(n: i64) -> String {
    let text = fetch("text").await;
    if flag(n).await {
        let moved = text;
        tick().await;
        moved + "!"
    } else {
        tick().await;
        concat(&text, &text).await
    }
}
