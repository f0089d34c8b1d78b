//! Handles in lists, awaited in another order than they were spawned in.

#[workflow]
async fn program(cx: &Context, n: i64) -> i64 {
    let mut calls: Vec<_> = (0..4).map(|i| (i, cx.spawn(act(note(n + i))))).collect();
    let mut sum = 0;
    while let Some((number, call)) = calls.pop() {
        if number == 1 {
            call.cancel();
            tick().await;
        } else {
            sum = sum * 10 + call.await;
        }
    }
    note(sum)
}
