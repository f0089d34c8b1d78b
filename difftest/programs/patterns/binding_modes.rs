//! Default binding modes over a borrowed local, copied out before the await.

#[workflow]
async fn program(n: i64) -> i64 {
    let shape = shape(n).await;
    let size = match &shape {
        Shape::Circle { radius } => *radius,
        Shape::Rect(a, b) => a * b,
        Shape::Named(name, inner) if matches!(**inner, Shape::Point) => name.len() as i64,
        _ => -1,
    };
    act(size).await + area(shape).await
}
