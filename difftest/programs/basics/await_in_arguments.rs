//! Operands before an await are evaluated before it.

#[workflow]
async fn program(cx: &Context, n: i64) -> i64 {
    fn add(a: i64, b: i64, c: i64) -> i64 { a * 100 + b * 10 + c }
    add(note(1), act(n).await, note(3)) + add(act(2).await, note(n), act(4).await)
}
