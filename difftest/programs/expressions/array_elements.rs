//! Awaits as elements of an array and of a vector.

#[workflow]
async fn program(n: i64) -> i64 {
    let array = [act(n).await, note(7), act(n + 1).await];
    let vector = vec![array[0], act(array[2]).await, note(3)];
    total(&vector).await + total(&array).await
}
