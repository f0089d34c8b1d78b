//! What methods make of a value of `join!` borrows from nothing, and stays until the statement ends.

#[workflow]
async fn program(n: i64) -> i64 {
    let last = {
        if flag(n).await {
            vec![Noisy::new("a"), Noisy::new("b")]
        } else {
            join!(async { find(n).await.map(Noisy::new) }, act(1)).0.into_iter().collect::<Vec<_>>()
        }
    }
    .pop()
    .unwrap_or(match None::<String> {
        Some(text) if text.len() % 2 == 0 => {
            tick().await;
            Noisy::new("d")
        }
        _ => {
            note("none");
            Noisy::new("e")
        }
    });
    note("after");
    act(last.name().len() as i64).await
}
