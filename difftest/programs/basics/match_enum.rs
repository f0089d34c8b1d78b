//! Enums taken apart by value, with boxes and nested variants.

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
enum Shape {
    Circle(i64),
    Pair(Box<Shape>, Box<Shape>),
    Named { name: String, size: i64 },
    Empty,
}

#[workflow]
async fn program(cx: &Context, n: i64) -> i64 {
    let shape = if n == 1 {
        Shape::Circle(act(1).await)
    } else if n == 2 {
        Shape::Pair(Box::new(Shape::Circle(2)), Box::new(Shape::Empty))
    } else {
        Shape::Named { name: text(n).await, size: n }
    };
    match shape {
        Shape::Circle(r) => act(r).await * r,
        Shape::Pair(left, right) => {
            act(5).await;
            match (*left, *right) {
                (Shape::Circle(r), Shape::Empty) => act(r).await,
                _ => 0,
            }
        }
        Shape::Named { name, size } if size > 3 => {
            let length = name.len() as i64;
            act(length).await + name.len() as i64
        }
        Shape::Named { name: _, size } => size,
        Shape::Empty => -1,
    }
}
