//! An `async move` block uses a borrow, and what is behind it reads what that borrows from.

#[workflow]
async fn program(n: i64) -> String {
    let name = fetch("a").await;
    let line = Line { sku: fetch("b").await, count: n };
    let text = if flag(n).await { name.as_str() } else { name.trim() };
    let sku = &line.sku;
    let (a, b, c) = join!(
        async move { fetch(text).await + &fetch(sku).await },
        fetch(&name.clone()),
        concat(&line.sku, &name),
    );
    a + &b + &c
}
