//! Guards without awaits, over bindings by value, in a match whose arms await.

#[workflow]
async fn program(n: i64) -> String {
    match shape(n).await {
        Shape::Circle { radius } if note(radius) > 3 => act(radius).await.to_string(),
        Shape::Rect(a, _) | Shape::Circle { radius: a } if a < 9 => fetch("small").await,
        Shape::Named(name, inner) if *inner == Shape::Point => concat(&name, "point").await,
        Shape::Named(name, _) => name,
        other => format!("{other:?} {}", area(other.clone()).await),
    }
}
