//! What a method is called on, in an operand before one that may await, is dropped with the statement.

#[workflow]
async fn program(n: i64) -> i64 {
    let count = note((
        vec![Noisy::new("counted 0"), Noisy::new("counted 1")].len() as i64,
        if n > 2 { act(n).await } else { note(n) },
    ));
    note("after the count");
    drop(vec![Noisy::new("left"), Noisy::new("popped")].pop().unwrap_or(if n == 5 {
        Noisy::new(fetch("other").await)
    } else {
        Noisy::new(note("another"))
    }));
    note("after the last");
    count.0 + count.1
}
