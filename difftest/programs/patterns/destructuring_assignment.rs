//! Destructuring assignment to locals that cross awaits.

#[workflow]
async fn program(n: i64) -> i64 {
    let (mut a, mut b) = (n, 1);
    for _ in 0..3 {
        (a, b) = (b, add(a, b).await);
    }
    let mut text;
    (a, text) = pair(b).await;
    [b, ..] = [act(a).await, 5, 6];
    Line { sku: text, count: a } = Line { sku: fetch(&text).await, count: a + b };
    a + text.len() as i64
}
