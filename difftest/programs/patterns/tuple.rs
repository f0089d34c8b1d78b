//! Tuple patterns in `let`, with `..`, `mut` and nesting.

#[workflow]
async fn program(n: i64) -> String {
    let (mut number, text) = pair(n).await;
    number += act(number).await;
    let ((a, ..), (.., b)) = ((number, 1, 2), (3, 4, pair(number).await));
    let (_, last) = b;
    concat(&text, &format!("{a}{last}")).await
}
