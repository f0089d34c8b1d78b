//! What a block moves is its own: whole locals, parts of them, and copies that it changes.

#[workflow]
async fn program(n: i64) -> String {
    let order = order(n).await;
    let mut count = order.id;
    let name = fetch("name").await;
    let mut spare = String::from("spare");
    let (a, b, c, d) = join!(
        async {
            let lines = order.lines;
            let first = concat(&lines.len().to_string(), "lines").await;
            first + &lines.len().to_string()
        },
        async { concat(&order.customer, &order.id.to_string()).await + &order.customer },
        async move {
            count += act(count).await;
            tick().await;
            note(count)
        },
        async {
            let taken = concat(&name, "taken").await;
            drop(spare);
            spare = taken;
            tick().await;
            format!("{spare}{name}")
        },
    );
    count += 1;
    format!("{a} {b} {c} {d} {count} {}", act(count).await)
}
