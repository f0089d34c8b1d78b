//! A match on a slice of a vector, whose copies cross awaits.

#[workflow]
async fn program(n: i64) -> i64 {
    let values = list(n).await;
    match values.as_slice() {
        [] => 0,
        &[only] => act(only).await,
        &[first, .., last] => add(first, last).await + values.len() as i64,
    }
}
