//! What a pattern leaves of a tuple that has been made with temporaries ends with the statement.

#[workflow]
async fn program(n: i64) -> i64 {
    let (first, _) = (
        find(n).await.map(Noisy::new).unwrap_or_else(|| Noisy::new("else")),
        (n > 3 && n < 2).then(|| Noisy::new("then")).unwrap_or_else(|| Noisy::new("other")),
    );
    let list = [act(note(({ [3, 1, 2] })[1])).await, 2];
    note(list[0]);
    act(first.name().len() as i64).await
}
