//! `else if let` with different patterns.

#[workflow]
async fn program(n: i64) -> i64 {
    if let Some(length) = lookup("abc").await {
        length
    } else if let Shape::Rect(a, b) = shape(n).await {
        add(a, b).await
    } else if let (x, Some(text)) = (act(n).await, find(n).await) {
        x + note(text).len() as i64
    } else {
        tick().await;
        -1
    }
}
