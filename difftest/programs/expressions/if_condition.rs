//! Awaits in the conditions of an `else if` chain.

#[workflow]
async fn program(n: i64) -> String {
    let word = if act(n).await > 20 {
        "large"
    } else if note(n) == 0 && flag(n).await {
        tick().await;
        "zero"
    } else if lookup("four").await.is_some() {
        "some"
    } else {
        "none"
    };
    note(word).to_owned()
}
