//! Calls within calls within calls.

#[workflow]
async fn program(n: i64) -> String {
    concat(
        &concat(&fetch(&n.to_string()).await, note("mid")).await,
        &fetch(&concat("x", &fetch(&act(n).await.to_string()).await).await).await,
    )
    .await
}
