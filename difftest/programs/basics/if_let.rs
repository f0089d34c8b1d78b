//! `if let` with awaits in scrutinee and branches.

#[workflow]
async fn program(cx: &Context, n: i64) -> i64 {
    let n = n - 1;
    let mut total = 0;
    if let Some(x) = maybe(n).await {
        total += act(x).await;
        total += x;
    } else {
        total -= act(1).await;
    }
    if let Some(x) = Some(n).filter(|x| *x > 0) {
        total += act(x).await + x;
    }
    let y = if let (a, Some(b)) = (act(n).await, maybe(n).await) { a + b } else { 7 };
    total + y
}
