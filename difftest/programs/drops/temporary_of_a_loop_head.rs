//! A temporary of the head of a loop is there until the loop is over.

#[workflow]
async fn program(n: i64) -> i64 {
    let mut sum = 0;
    for i in Some(i64::rem_euclid(vec![Noisy::new(fetch("a").await)].len() as i64, 9)) {
        let inner = Noisy::new("inner");
        note(i);
        if n > 1 {
            sum += act(i).await;
        }
        note(inner.name());
    }
    note("over");
    sum
}
