//! Parts of a tuple moved at different times.

#[workflow]
async fn program(n: i64) -> String {
    let parts = (fetch("a").await, fetch("b").await, act(n).await);
    let first = parts.0;
    tick().await;
    let joined = concat(&first, &parts.1).await;
    let second = parts.1;
    tick().await;
    joined + &second + &parts.2.to_string()
}
