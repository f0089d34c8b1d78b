//! A panic between two awaits ends both lowerings with the same message.

#[workflow]
async fn program(n: i64) -> i64 {
    let values = list(n).await;
    let first = values[1];
    tick().await;
    assert!(first < 5, "{first} is too much for {n}");
    first + act(first).await
}
