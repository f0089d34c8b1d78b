//! Double recursion in one expression.

#[workflow]
async fn program(n: i64) -> i64 {
    fibonacci(n.min(5)).await
}

#[workflow]
async fn fibonacci(n: i64) -> i64 {
    match n {
        0 | 1 => act(n).await,
        _ => Box::pin(fibonacci(n - 1)).await + Box::pin(fibonacci(n - 2)).await,
    }
}
