//! Slices of locals as arguments.

#[workflow]
async fn program(n: i64) -> i64 {
    let values = vec![n, 2, 3, 4];
    let a = total(&values[1..]).await;
    let b = total(&values[..2]).await;
    let (left, right) = values.split_at(2);
    let c = left.len() + right.len();
    a * 100 + b + total(&[a, b, c as i64]).await
}
