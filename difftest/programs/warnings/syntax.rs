//! Of parentheses and braces that nobody has written rustc says nothing.

#[workflow]
async fn program(n: i64) -> i64 {
    let a = (act(n).await);
    let b = (act(1).await << 2) | (act(2).await & 0xff);
    if (flag(a).await) {
        tick().await;
    }
    while (b < 0) {
        tick().await;
    }
    let c = { act(3).await };
    return (a + b + c);
}
