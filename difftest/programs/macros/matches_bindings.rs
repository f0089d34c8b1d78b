//! What `matches!` binds is its own, whatever else has the same name.

#[workflow]
async fn program(n: i64) -> i64 {
    let shape = shape(n).await;
    let small = matches!(shape, Shape::Circle { radius } if radius > 2);
    let sum = match shape {
        Shape::Circle { radius } => act(radius).await,
        Shape::Rect(a, _) if matches!(a, radius if radius > 3) => act(a).await,
        _ => 7,
    };
    tick().await;
    let radius = sum + i64::from(small);
    tick().await;
    i64::from(matches!(n, radius if radius > 1)) + radius
}
