//! Timers one after the other move the clock on.

#[workflow]
async fn program(cx: &Context, n: i64) -> Vec<Duration> {
    let start = cx.now();
    let mut times = Vec::new();
    for i in 0..=n.min(3) as u64 {
        cx.sleep(seconds(i * 10)).await;
        times.push(cx.now().saturating_since(start));
    }
    tick().await;
    times
}
