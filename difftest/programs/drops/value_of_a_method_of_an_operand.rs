//! A value made by a method of an operand of its statement.

#[workflow]
async fn program(n: i64) -> i64 {
    let kept = Vec::<Noisy>::new().pop().unwrap_or(Noisy::new(fetch("a").await));
    let mut count = 0;
    let other = loop {
        count += 1;
        if count > n {
            break Noisy::new("other");
        }
        if n > 1 {
            tick().await;
        }
    };
    note(other.name());
    count
}
