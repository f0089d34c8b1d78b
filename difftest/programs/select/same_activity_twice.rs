//! Two calls of the same activity with the same arguments are told apart.

#[workflow]
async fn program(n: i64) -> (i64, String) {
    let (x, which) = select! {
        x = act(n) => (x, "first"),
        x = act(n) => (x + 1, "second"),
    };
    tick().await;
    (act(x).await, which.to_owned())
}
