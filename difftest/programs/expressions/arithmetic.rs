//! Awaits on both sides of every kind of operator.

#[workflow]
async fn program(n: i64) -> (i64, bool) {
    let a = act(n).await + act(n + 1).await * note(2) - act(note(5)).await / 3;
    let b = (act(1).await << 2) | (act(2).await & 0xff) ^ -act(3).await;
    (a % 97 + b, act(n).await < act(n + 1).await)
}
