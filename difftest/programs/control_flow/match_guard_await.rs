//! A guard that awaits.

#[workflow]
async fn program(n: i64) -> i64 {
    match act(n).await % 4 {
        0 if flag(n).await => act(10).await,
        0 | 1 if flag(n + 1).await && note(true) => act(20).await,
        x @ 1..=2 => act(x).await,
        x => note(x),
    }
}
