//! What a later operand of a condition takes its value out of goes after the block, as with a single one.

#[workflow]
async fn program(n: i64) -> i64 {
    if n > 0 && let Some(last) = vec![Noisy::new("first"), Noisy::new("last")].pop() {
        if n > 4 {
            note("more than four");
        } else {
            act(4).await;
        }
        note("end of the block");
    } else {
        note("else");
    }
    n
}
