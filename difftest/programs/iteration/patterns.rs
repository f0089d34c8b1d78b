//! Patterns in the head of `for`.

#[workflow]
async fn program(n: i64) -> i64 {
    let mut sum = 0;
    for Line { sku, mut count } in order(n).await.lines {
        count += lookup(&sku).await.unwrap_or(1);
        sum += count;
    }
    for (_, [a, b]) in [(n, [1, 2]), (n, [3, 4])] {
        sum += add(a, b).await;
    }
    sum
}
