//! Awaits in branches that give nothing.

#[workflow]
async fn program(n: i64) -> i64 {
    let mut sum = 0;
    if n > 1 {
        sum += act(n).await;
    }
    if n > 100 {
        tick().await;
    } else if n == 5 {
        sum += note(5);
        tick().await;
    }
    sum + act(sum).await
}
