//! What a later operand of a condition takes apart is there until the end of its scope where the first one
//! does not hold.

#[workflow]
async fn program(n: i64) -> i64 {
    let first = find(n).await.map(Noisy::new);
    let length = if n > 3 && let Some(noisy) = first { noisy.name().len() } else { 0 };
    note(length);
    let second = Some(Noisy::new("second"));
    act(if n > 7 {
        1
    } else if n > 3 && let Some(noisy) = second && n > 5 {
        note(noisy.name());
        2
    } else {
        if n > 1 {
            act(1).await;
        }
        3
    })
    .await;
    note("end");
    n
}
