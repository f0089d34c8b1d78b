//! The same name bound in both alternatives of a pattern, by value.

#[workflow]
async fn program(n: i64) -> String {
    let side = if flag(n).await { Ok(fetch("ok").await) } else { Err(fetch("err").await) };
    let (Ok(text) | Err(text)) = side;
    match (find(n).await, text) {
        (Some(a), b) if b.len() > 4 => concat(&a, &b).await,
        (Some(only), _) | (None, only) => fetch(&only).await,
    }
}
