//! rustc warns of variables that nobody reads, and by the names that they have in the source.

#[workflow]
async fn program(n: i64) -> i64 {
    let before = n + 1;
    let first = act(n).await;
    let (second, text) = pair(first).await;
    for index in 0..2 {
        let inside = index;
        tick().await;
    }
    match shape(n).await {
        Shape::Circle { radius } => tick().await,
        Shape::Rect(width, height) => return height,
        _ => {}
    }
    if let Some(found) = find(n).await {
        tick().await;
    }
    select! {
        value = act(2) => {}
        other = act(3) => tick().await,
    }
    let first = first;
    second
}
