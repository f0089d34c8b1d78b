//! Struct patterns by value, with renaming, shorthand and `..`.

#[workflow]
async fn program(n: i64) -> i64 {
    let Order { id, customer: mut name, .. } = order(n).await;
    name.push_str(&fetch(&name).await);
    let Line { count, .. } = Line { sku: name.clone(), count: act(id).await };
    note((&name, count));
    id + count + lookup(&name).await.unwrap_or_default()
}
