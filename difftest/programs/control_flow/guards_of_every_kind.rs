//! Guards that await, `if let` guards, and `matches!` with awaits in both parts.

fn even(n: i64) -> Option<i64> {
    (n % 2 == 0).then_some(n / 2)
}

/// A key that is found, or not, depending on `n`.
fn some(n: i64) -> String {
    "x".repeat(n.rem_euclid(5) as usize)
}

#[workflow]
async fn program(n: i64) -> i64 {
    let mut total = 0;
    total += match lookup(&some(n)).await {
        Some(x) if let Some(half) = even(x) => half + act(half).await,
        Some(x) if x > act(1).await && flag(x).await => x,
        Some(ref x) if matches!(lookup(&some(*x)).await, Some(1..=3)) => 1 + *x,
        Some(_) | None if flag(total + n).await => act(5).await,
        Some(x) => x + 1,
        None => 7,
    };
    if matches!(lookup(&some(total)).await, Some(y) if y > n) {
        total += 1;
    }
    if matches!((n, act(n).await), (a, b) if a < b && b - a > 2) && !matches!(fetch("x").await.as_str(), "x" | "y") {
        total += act(2).await;
    }
    let text = match (order(n).await, n) {
        (order, 0..=1) if order.lines.is_empty() => fetch(&order.customer).await,
        (ref order, k) if let Some(line) = order.lines.first() && line.count > k as i64 => line.sku.clone(),
        (order, _) => concat(&order.customer, "none").await,
    };
    total + text.len() as i64
}
