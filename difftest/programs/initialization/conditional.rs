//! A local initialized in one branch and used only there, and another that is overwritten.

#[workflow]
async fn program(n: i64) -> i64 {
    let late: String;
    let mut sum = 0;
    if flag(n).await {
        late = fetch("late").await;
        tick().await;
        sum += late.len() as i64;
    }
    let x: i64;
    match n {
        0 => x = act(1).await,
        1 => x = 5,
        _ => {
            tick().await;
            return sum;
        }
    }
    sum + x
}
