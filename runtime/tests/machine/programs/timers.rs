//! Timers in sequence and in loops.

crate::harness::program! {
    async fn timers(cx: &Context, n: i64) -> i64 {
        for i in 0..n {
            cx.sleep(std::time::Duration::from_secs(i as u64 + 1)).await;
            trace(i);
        }
        cx.sleep(std::time::Duration::from_millis(5)).await;
        let approve = cx.signal::<Approve>().await;
        approve.by.len() as i64
    }
    (0) (2)
}
