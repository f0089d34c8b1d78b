//! What the pattern of a `let … else` leaves of a value ends with the statement.

#[workflow]
async fn program(n: i64) -> i64 {
    let (Some(first), _) = (find(n).await, Noisy::new("rest")) else {
        note("nothing");
        return n;
    };
    note(first);
    let (Some(second), _) = (find(n + 1).await.map(Noisy::new), Noisy::new("other rest")) else {
        note("none");
        return act(n).await;
    };
    note(second.name());
    act(n).await
}
