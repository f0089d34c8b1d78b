//! A local that is made from the one it shadows, across an await.

#[workflow]
async fn program(n: i64) -> i64 {
    let n = act(n).await;
    let n = n + { let n = act(n).await; n * 2 };
    let n = add(n, { let n = n + 1; act(n).await }).await;
    n
}
