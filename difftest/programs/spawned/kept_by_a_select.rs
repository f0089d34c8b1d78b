//! A handle that a `select!` in a loop waits for again and again, beside a timer.

#[workflow]
async fn program(cx: &Context, n: i64) -> Vec<String> {
    let call = cx.spawn(fetch("slow"));
    let mut log = Vec::new();
    for round in 0..6 {
        let text = select! {
            text = &call => text,
            () = cx.sleep(seconds(5)) => {
                log.push(format!("round {round}"));
                continue;
            }
        };
        log.push(concat(&text, &n.to_string()).await);
        return log;
    }
    call.cancel();
    tick().await;
    log
}
