//! A macro that captures locals by name in its text keeps them alive across an await.

#[workflow]
async fn program(n: i64) -> String {
    let first = fetch("first").await;
    let second = act(n).await;
    let precision = 2;
    tick().await;
    let text = format!("{first:?} {second:03} {:.precision$}", 1.5);
    tick().await;
    assert!(second < 1_000, "{text}");
    format!("{text}{first}")
}
