//! Awaits as scrutinee and in the arms.

#[workflow]
async fn program(n: i64) -> i64 {
    match act(n).await % 3 {
        0 => act(10).await,
        1 if note(n) > 1 => act(11).await + 1,
        other => {
            let kept = other * 2;
            act(kept).await + kept
        }
    }
}
