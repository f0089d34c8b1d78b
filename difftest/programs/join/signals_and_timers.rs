//! Signals and timers as branches; two waits for the same signal.

#[workflow]
async fn program(cx: &Context, n: i64) -> String {
    let started = cx.now();
    let (Bump(a), Bump(b), approved, ()) = join!(
        cx.signal::<Bump>(),
        cx.signal::<Bump>(),
        cx.signal::<Approve>(),
        cx.sleep(seconds(n as u64)),
    );
    let waited = cx.now().saturating_since(started);
    concat(&approved.by, &format!("{} {waited:?}", a + b)).await
}
