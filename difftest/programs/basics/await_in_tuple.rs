//! Tuples, arrays and struct literals.

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Point {
    x: i64,
    y: i64,
}

#[workflow]
async fn program(cx: &Context, n: i64) -> (i64, [i64; 3], [i64; 3], Point, Point) {
    let tuple = (note(1), act(n).await, note(2));
    let array = [act(1).await, note(7), act(2).await];
    let repeated = [act(3).await; 3];
    let point = Point { x: act(4).await, y: note(5) };
    let other = Point { y: act(6).await, ..point.clone() };
    (tuple.0 + tuple.1 + tuple.2, array, repeated, point, other)
}
