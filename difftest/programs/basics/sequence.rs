//! Awaits one after the other.

#[workflow]
async fn program(cx: &Context, n: i64) -> i64 {
    let a = act(n).await;
    note("between");
    let b = act(a + 1).await;
    a + b + n
}
