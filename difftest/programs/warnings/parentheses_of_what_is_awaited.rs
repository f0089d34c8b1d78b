//! Parentheses around what is awaited are not called needless.

#[workflow]
async fn program(n: i64) -> i64 {
    (if n > 2 { act(1) } else { act(n) }).await
}
