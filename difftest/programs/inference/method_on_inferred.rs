//! Methods on locals whose types come from activities.

#[workflow]
async fn program(n: i64) -> String {
    let order = order(n).await;
    let first = order.lines.first().cloned();
    let found = table(n).await;
    tick().await;
    let sku = first.as_ref().map(|line| line.sku.to_uppercase()).unwrap_or_default();
    let best = found.iter().max_by_key(|(_, value)| **value).map(|(key, _)| key.clone());
    tick().await;
    format!("{sku}{}{:?}", best.as_deref().unwrap_or("none").len(), first.is_some())
}
