//! An await as the argument of a method, after a receiver with an effect.

#[workflow]
async fn program(n: i64) -> i64 {
    let base = act(n).await;
    let sum = note(base).max(act(n + 1).await).min(note(90));
    sum.pow(note(1)) + base.wrapping_add(act(sum).await)
}
