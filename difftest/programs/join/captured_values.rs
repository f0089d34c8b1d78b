//! Branches that capture by reference what is used again after the join.

#[workflow]
async fn program(n: i64) -> String {
    let order = order(n).await;
    let name = fetch("name").await;
    let (size, text) = join!(
        async {
            let size = price(&order).await;
            size + order.id
        },
        async {
            let both = concat(&name, &order.customer).await;
            concat(&both, &name).await
        },
    );
    format!("{size}{text}{name}{}", order.lines.len())
}
