//! Assignment to fields of a local that lives across awaits.

#[workflow]
async fn program(n: i64) -> Order {
    let mut current = order(n + 2).await;
    current.customer = fetch("new").await;
    current.id += act(n).await;
    if let Some(line) = current.lines.first_mut() {
        line.count = note(line.count * 2);
    }
    tick().await;
    current.lines.push(Line { sku: fetch("last").await, count: act(1).await });
    current
}
