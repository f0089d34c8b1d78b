//! Operands before an await are evaluated before it.

crate::harness::program! {
    async fn await_in_arguments(cx: &Context, n: i64) -> i64 {
        fn add(a: i64, b: i64, c: i64) -> i64 { a * 100 + b * 10 + c }
        add(seen(1), step(n).await, seen(3)) + add(step(2).await, seen(n), step(4).await)
    }
    (1) (5)
}
