//! Tuples, arrays and struct literals.

#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
struct Point {
    x: i64,
    y: i64,
}

crate::harness::program! {
    async fn await_in_tuple(cx: &Context, n: i64) -> (i64, [i64; 3], [i64; 3], Point, Point) {
        let tuple = (seen(1), step(n).await, seen(2));
        let array = [step(1).await, seen(7), step(2).await];
        let repeated = [step(3).await; 3];
        let point = Point { x: step(4).await, y: seen(5) };
        let other = Point { y: step(6).await, ..point.clone() };
        (tuple.0 + tuple.1 + tuple.2, array, repeated, point, other)
    }
    (1)
}
