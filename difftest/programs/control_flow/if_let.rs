//! `if let` over awaited values, with and without `else`.

#[workflow]
async fn program(n: i64) -> String {
    let mut text = String::new();
    if let Some(found) = find(n).await {
        text.push_str(&fetch(&found).await);
    } else {
        text.push_str(&fetch("nothing").await);
    }
    if let Shape::Named(name, inner) = shape(n + 1).await {
        text = concat(&text, &name).await;
        text.push_str(&area(*inner).await.to_string());
    }
    text
}
