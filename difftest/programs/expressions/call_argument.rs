//! Awaits as arguments, nested, with effects in between.

#[workflow]
async fn program(n: i64) -> i64 {
    add(act(n).await, act(note(n + 1)).await).await
}
