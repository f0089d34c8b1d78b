//! A `select!` in a loop that one arm ends, with state that each arm changes.

#[workflow]
async fn program(cx: &Context, n: i64) -> (i64, Vec<String>) {
    let mut sum = n;
    let mut log = Vec::new();
    loop {
        select! {
            Bump(by) = cx.signal::<Bump>() => {
                sum += by;
                if sum > 60 {
                    break (sum, log);
                }
            }
            approved = cx.signal::<Approve>() => {
                log.push(approved.by);
                continue;
            }
            _ = cx.sleep(minutes(1)) => sum += act(sum).await,
        }
        log.push(fetch(&sum.to_string()).await);
    }
}
