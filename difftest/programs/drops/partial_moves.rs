//! What is left of a value after a partial move is dropped at the end of the scope.

#[derive(Serialize, Deserialize)]
struct Two {
    first: Noisy,
    second: Noisy,
}

#[workflow]
async fn program(n: i64) -> i64 {
    let two = Two { first: Noisy::new("first"), second: Noisy::new("second") };
    tick().await;
    let first = two.first;
    note(first.name());
    drop(first);
    let x = act(n).await;
    note(two.second.name());
    x
}
