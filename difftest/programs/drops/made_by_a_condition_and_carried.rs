//! What `then` makes of a condition is dropped at the end of its scope, behind a loop that could have
//! awaited.

#[workflow]
async fn program(n: i64) -> i64 {
    if let Some(made) = flag(n).await.then(|| Noisy::new("made")) {
        for item in [n, 4, 5] {
            if n > item {
                act(n).await;
            } else {
                drop(Noisy::new("item"));
            }
        }
    }
    if let Some(made) = flag(n + 1).await.then_some(Noisy::new("second")) {
        for item in [n, 4, 5] {
            if n > item {
                act(n).await;
            } else {
                drop(Noisy::new("item"));
            }
        }
    }
    n
}
