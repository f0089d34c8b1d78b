//! Shadowing in inner scopes; the outer value is back afterwards.

#[workflow]
async fn program(n: i64) -> i64 {
    let value = act(n).await;
    {
        let value = fetch("inner").await;
        note(value);
    }
    if let Some(value) = lookup("four").await {
        tick().await;
        note(value);
    }
    for value in 0..2 {
        act(value).await;
    }
    let doubled = match find(value).await {
        Some(value) => value.len() as i64,
        None => value,
    };
    act(value).await + doubled
}
