//! `vector.push(awaited)`: the vector is borrowed after the await.

#[workflow]
async fn program(n: i64) -> Vec<i64> {
    let mut values = Vec::new();
    values.push(act(n).await);
    values.push(act(values[0]).await);
    values.insert(0, act(values.len() as i64).await);
    values.extend(list(n).await);
    values.extend_from_slice(&list(values[0]).await);
    values
}
