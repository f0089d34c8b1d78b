//! Awaits inside of `matches!`, with a guard.

#[workflow]
async fn program(n: i64) -> (bool, bool, i64) {
    let limit = 5;
    let circle = matches!(shape(n).await, Shape::Circle { radius } if radius < limit);
    let found = matches!(find(n).await, Some(_));
    if matches!(lookup("four").await, Some(1..=4)) && circle {
        return (circle, found, act(limit).await);
    }
    (circle, found, note(0))
}
