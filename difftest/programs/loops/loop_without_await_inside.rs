//! Loops that do not await, between awaits, stay as they are.

#[workflow]
async fn program(n: i64) -> i64 {
    let mut values = list(n).await;
    for value in values.iter_mut() {
        *value += 1;
    }
    let mut sum = 0;
    for value in &values {
        sum += value;
    }
    while sum > 10 {
        sum -= 7;
    }
    values.retain(|value| value % 2 == 0);
    act(sum).await + total(&values).await
}
