//! Limits of time: of a call, a workflow, a block that takes and changes what is around it, and a limit in a limit.

#[workflow]
async fn slowly(n: i64) -> i64 {
    tick().await;
    act(n).await
}

#[workflow]
async fn program(cx: &Context, n: i64) -> Result<String, String> {
    let mut log = Vec::new();
    let noisy = Noisy::new("taken");
    let first = cx.timeout(seconds(30), act(n)).await.map_err(|_| "first".to_owned())?;
    log.push(first.to_string());
    let second = cx.timeout(seconds(20), slowly(first)).await;
    log.push(second.map_or("late".to_owned(), |value| value.to_string()));
    let third = cx
        .timeout(seconds(40), async {
            log.push(noisy.name().to_owned());
            for number in 0..2 {
                log.push(act(number).await.to_string());
                if number == n {
                    return "early".to_owned();
                }
            }
            fetch("third").await
        })
        .await;
    note(third.is_ok());
    let nested = cx
        .timeout(seconds(50), async {
            let inner = cx.timeout(seconds(10), async { act(n).await + act(1).await }).await;
            tick().await;
            inner.unwrap_or(-1)
        })
        .await;
    log.push(nested.map_or("never".to_owned(), |value| value.to_string()));
    log.push(noisy.name().to_owned());
    Ok(log.join(" "))
}
