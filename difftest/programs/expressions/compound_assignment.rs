//! Compound assignment: for primitive operands the right side comes first.

#[workflow]
async fn program(n: i64) -> i64 {
    let mut sum = n;
    sum += act(n).await;
    sum -= note(2);
    sum *= act(sum).await % 3 + 1;
    sum ^= act(4).await;
    sum <<= note(1);
    sum
}
