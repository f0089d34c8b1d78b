//! `if let`, `match` and loops as arguments.

#[workflow]
async fn program(n: i64) -> i64 {
    add(
        if let Some(x) = lookup("four").await { note(x) } else { 0 },
        match flag(n).await {
            true => act(1).await,
            false => loop { break act(2).await },
        },
    )
    .await
}
