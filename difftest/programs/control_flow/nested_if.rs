//! Nested branches that each await a different number of times.

#[workflow]
async fn program(n: i64) -> i64 {
    let a = act(n).await;
    if a > 3 {
        if flag(a).await {
            let b = act(a).await;
            if b > 50 { act(b).await } else { b }
        } else {
            tick().await;
            tick().await;
            a
        }
    } else {
        note(0)
    }
}
