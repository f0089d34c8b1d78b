//! Awaits as fields of a struct literal, in another order than that of the declaration.

#[workflow]
async fn program(n: i64) -> Line {
    let count = act(n).await;
    let line = Line { count: add(count, note(1)).await, sku: fetch("sku").await };
    note(&line);
    Line { sku: format!("{}!", fetch(&line.sku).await), ..line }
}
