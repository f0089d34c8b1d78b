//! Binary and unary operators, casts, comparisons.

#[workflow]
async fn program(cx: &Context, n: i64) -> (i64, bool, bool, f64) {
    let sum = note(n) + act(n).await * -act(2).await;
    let less = text(n).await < text(n + 1).await;
    let name = text(1).await;
    let same = name == text(1).await;
    let not = !flag(n).await;
    note(&name);
    (sum, less && not, same, act(n).await as f64 / 2.0)
}
