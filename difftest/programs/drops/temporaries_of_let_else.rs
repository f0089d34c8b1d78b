//! What the value of a `let … else` is taken out of goes with the statement.

#[workflow]
async fn program(n: i64) -> i64 {
    let Some(last) = vec![Noisy::new("first"), Noisy::new(fetch("last").await)].pop() else {
        return n;
    };
    note(last.name());
    let Some(0..=1) = vec![Noisy::new("kept")].len().checked_sub(n as usize).and(find(n).await).map(|text| text.len())
    else {
        note("neither");
        return act(n).await;
    };
    note("both");
    n
}
