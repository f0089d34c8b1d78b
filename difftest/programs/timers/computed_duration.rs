//! Durations computed from awaited values.

#[workflow]
async fn program(cx: &Context, n: i64) -> u64 {
    let start = cx.now();
    cx.sleep(seconds(act(n).await as u64)).await;
    let pause = Duration::from_millis(250) * (n as u32 + 1);
    cx.sleep(pause).await;
    cx.sleep(Duration::ZERO).await;
    let later = cx.now() + pause;
    cx.sleep_until(later).await;
    cx.now().saturating_since(start).as_millis() as u64
}
