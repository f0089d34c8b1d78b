//! Timers in sequence and in loops.

#[workflow]
async fn program(cx: &Context, n: i64) -> i64 {
    for i in 0..n {
        cx.sleep(Duration::from_secs(i as u64 + 1)).await;
        note(i);
    }
    cx.sleep(Duration::from_millis(5)).await;
    let approve = cx.signal::<Approve>().await;
    approve.by.len() as i64
}
