//! The pattern of a `matches!` binds a field of the name of another variable.

#[workflow]
async fn program(n: i64) -> i64 {
    let shape = shape(n).await;
    let mut sum = 0;
    match shape {
        Shape::Circle { radius }
            if matches!(Shape::Circle { radius: radius + 1 }, Shape::Circle { radius } if radius > 2) =>
        {
            let radius = act(radius).await;
            let found = matches!(shape_of(radius), Shape::Circle { radius, .. } if radius != 3);
            sum += act(radius + i64::from(found)).await + radius;
        }
        other => sum += act(i64::from(matches!(other, Shape::Point))).await,
    }
    sum
}

fn shape_of(radius: i64) -> Shape {
    Shape::Circle { radius }
}
