//! Deferred initialization by every arm of a match in a loop.

#[workflow]
async fn program(n: i64) -> Vec<i64> {
    let mut out = Vec::new();
    for i in n..n + 3 {
        let value: i64;
        match try_act(i).await {
            Ok(x) => value = x,
            Err(ActivityError::Failed(Refused { code })) => value = -act(code).await,
            Err(_) => continue,
        }
        tick().await;
        out.push(value);
    }
    out
}
