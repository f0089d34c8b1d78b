//! Recursion through boxed inline calls.

#[workflow]
async fn program(n: i64) -> i64 {
    let sum = sum_down(n.min(6)).await;
    act(sum).await
}

#[workflow]
async fn sum_down(n: i64) -> i64 {
    if n <= 0 {
        return note(0);
    }
    let below = Box::pin(sum_down(n - 1)).await;
    below + act(n).await
}
