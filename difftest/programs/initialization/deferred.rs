//! A local declared first and initialized after an await.

#[workflow]
async fn program(n: i64) -> String {
    let text;
    let number: i64;
    if act(n).await > 10 {
        number = note(1);
        text = fetch("high").await;
    } else {
        text = fetch("low").await;
        number = act(2).await;
    }
    tick().await;
    format!("{text}{number}")
}
