//! Parentheses that an operator needs are not called needless where its other operand awaits.

#[workflow]
async fn program(n: i64) -> i64 {
    if (n > 1 || n == 0) && flag(n).await {
        return 1;
    }
    2
}
