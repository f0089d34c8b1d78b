//! Alternatives that bind, inside other patterns.

#[workflow]
async fn program(n: i64) -> i64 {
    let outcome = match (shape(n).await, flag(n).await) {
        (Shape::Circle { radius: x } | Shape::Rect(x, _), true) => act(x).await,
        (Shape::Rect(1 | 2 | 3, x) | Shape::Circle { radius: x }, _) => note(x),
        (Shape::Point | Shape::Named(..) | Shape::Rect(..), even) => i64::from(even),
    };
    if let Some(1..=5 | 8..=20) | None = lookup("abcd").await { act(outcome).await } else { outcome }
}
