//! Awaits as bounds of ranges.

#[workflow]
async fn program(n: i64) -> i64 {
    let mut sum = 0;
    for i in act(n).await % 5..note(6) {
        sum += i;
    }
    let span = note(1)..=act(n).await % 4;
    tick().await;
    sum + span.sum::<i64>()
}
