//! How long something has taken, and a deadline that is moved.

#[workflow]
async fn program(cx: &Context, n: i64) -> (bool, Duration) {
    let began = cx.now();
    let mut deadline = began + hours(1);
    for round in 0..n % 4 {
        cx.sleep(minutes(20 * round as u64)).await;
        if cx.now() - began > minutes(10) {
            deadline += minutes(5);
        }
    }
    deadline -= seconds(1);
    (cx.now() >= deadline, cx.now() - began)
}
