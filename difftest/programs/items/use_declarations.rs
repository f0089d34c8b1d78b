//! `use` inside of the body and inside of blocks.

#[workflow]
async fn program(n: i64) -> i64 {
    use std::cmp::{Reverse, max};
    let shape = shape(n).await;
    let size = {
        use Shape::{Circle, Rect};
        match shape {
            Circle { radius } => act(radius).await,
            Rect(a, b) => max(a, b),
            _ => 0,
        }
    };
    let mut values = list(4).await;
    values.sort_by_key(|x| Reverse(*x));
    max(size, values[0])
}
