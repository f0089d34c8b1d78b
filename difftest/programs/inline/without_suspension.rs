//! An inline call that returns without an await of its own.

#[workflow]
async fn program(n: i64) -> i64 {
    let a = maybe(n).await;
    let b = maybe(a).await;
    let (c, d) = (maybe(0).await, maybe(b).await);
    a + b + c + d
}

#[workflow]
async fn maybe(n: i64) -> i64 {
    if n % 2 == 0 {
        return note(n + 1);
    }
    act(n).await
}
