//! Parentheses, dereferences and boxes.

#[workflow]
async fn program(n: i64) -> i64 {
    let boxed = Box::new(act(n).await);
    let sum = *boxed + (act(1).await);
    let text = Box::new(fetch("boxed").await);
    tick().await;
    (((sum)) + text.len() as i64) * *boxed
}
