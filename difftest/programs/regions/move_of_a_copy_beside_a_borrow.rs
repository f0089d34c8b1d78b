//! An `async move` block copies a part of what it also uses by way of a borrow.

#[workflow]
async fn program(n: i64) -> String {
    let pair = (n, fetch("a").await);
    let text: &str = &pair.1;
    let taken = select! {
        number = async move {
            let size = fetch(text).await.len() as i64;
            act(size + pair.0).await
        } => format!("{number} {}", pair.1.clone()),
        _ = flag(n) => format!("{:?}", pair.clone()),
    };
    note(fetch(&taken).await)
}
