//! Workflows with several parameters, patterns and `mut` among them.

#[workflow]
async fn sum(mut a: i64, (b, text): (i64, String), Line { count, .. }: Line) -> i64 {
    a += act(b).await;
    a + fetch(&text).await.len() as i64 + count
}

#[workflow]
async fn nothing() -> String {
    fetch("nothing").await
}

#[workflow]
async fn program(n: i64) -> String {
    let line = Line { sku: nothing().await, count: 3 };
    let x = sum(n, pair(n).await, line).await;
    format!("{x}{}", nothing().await)
}
