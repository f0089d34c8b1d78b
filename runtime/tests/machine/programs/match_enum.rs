//! Enums taken apart by value, with boxes and nested variants.

#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
enum Shape {
    Circle(i64),
    Pair(Box<Shape>, Box<Shape>),
    Named { name: String, size: i64 },
    Empty,
}

crate::harness::program! {
    async fn match_enum(cx: &Context, n: i64) -> i64 {
        let shape = if n == 1 {
            Shape::Circle(step(1).await)
        } else if n == 2 {
            Shape::Pair(Box::new(Shape::Circle(2)), Box::new(Shape::Empty))
        } else {
            Shape::Named { name: text(n).await, size: n }
        };
        match shape {
            Shape::Circle(r) => step(r).await * r,
            Shape::Pair(left, right) => {
                step(5).await;
                match (*left, *right) {
                    (Shape::Circle(r), Shape::Empty) => step(r).await,
                    _ => 0,
                }
            }
            Shape::Named { name, size } if size > 3 => {
                let length = name.len() as i64;
                step(length).await + name.len() as i64
            }
            Shape::Named { name: _, size } => size,
            Shape::Empty => -1,
        }
    }
    (1) (2) (3) (4)
}
