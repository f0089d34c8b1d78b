//! Code behind a diverging expression.

#[workflow]
async fn program(n: i64) -> i64 {
    if flag(n).await {
        let x = act(n).await;
        return x;
    } else {
        match n {
            1 => return act(1).await,
            _ => {}
        }
    }
    loop {
        return act(n + 50).await;
    }
}
