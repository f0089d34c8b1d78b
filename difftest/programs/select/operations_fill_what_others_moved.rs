//! The operations of a `select!` are made one after the other: what one has moved another may fill again.

#[workflow]
async fn program(n: i64) -> String {
    let mut name = fetch("first").await;
    select! {
        order = order(String::from(name).len() as i64) => note(order.id),
        found = find({
            name = String::from("second");
            n
        }) => note(n),
        _ = fetch(&name) => n,
    };
    name
}
