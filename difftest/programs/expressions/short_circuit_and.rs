//! `&&` does not evaluate its right side after a false left one.

#[workflow]
async fn program(n: i64) -> i64 {
    let both = flag(n).await && flag(note(n + 1)).await;
    let three = flag(0).await && note(n > 1) && flag(n * 2).await;
    if both || three { act(1).await } else { act(2).await }
}
