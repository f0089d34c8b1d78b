//! String literals and other constants bound to locals and used after awaits.

#[workflow]
async fn program(n: i64) -> String {
    let greeting = "hello";
    let bytes = b"bytes";
    let parts = ["a", "b"];
    let numbers = &[1, 2, 3];
    tick().await;
    let word = if n > 1 { "many" } else { "few" };
    let fetched = fetch(word).await;
    format!("{greeting}{word}{fetched}{}{}{}", bytes.len(), parts[1], numbers[2])
}
