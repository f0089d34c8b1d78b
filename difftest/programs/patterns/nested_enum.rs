//! Nested enums and boxes, taken apart by value.

#[workflow]
async fn program(n: i64) -> String {
    let shape = Shape::Named("outer".into(), Box::new(shape(n).await));
    match shape {
        Shape::Named(outer, inner) => match *inner {
            Shape::Named(name, deepest) => {
                let size = area(*deepest).await;
                concat(&outer, &format!("{name}{size}")).await
            }
            Shape::Circle { radius } => outer + &act(radius).await.to_string(),
            _ => outer,
        },
        _ => unreachable!("made just above"),
    }
}
