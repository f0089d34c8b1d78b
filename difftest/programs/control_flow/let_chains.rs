//! Let chains with awaits in every link.

#[workflow]
async fn program(n: i64) -> i64 {
    if let Some(text) = find(n).await
        && text.len() > note(3)
        && let Some(length) = lookup(&text).await
        && flag(length + n).await
    {
        return act(length).await;
    }
    let mut i = 0;
    while let Some(text) = find(n + i).await
        && i < 4
    {
        i += note(text).len() as i64 % 2 + 1;
    }
    i
}
