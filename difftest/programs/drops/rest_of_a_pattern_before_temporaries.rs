//! What a pattern leaves of a value ends before what else the statement has made.

#[workflow]
async fn program(n: i64) -> i64 {
    let (first, _) = (
        Noisy::new(fetch("first").await),
        ({ vec![Noisy::new("kept"), Noisy::new(fetch("last").await)] })
            .pop()
            .unwrap_or(Noisy::new("else")),
    );
    note(first.name());
    let (mut count, Order { id, .. }): (i64, Order) = (
        ({ vec![Noisy::new("counted"), Noisy::new(fetch("last").await)] }).len() as i64,
        order(n).await,
    );
    count += id;
    note(count);
    act(count).await
}
