//! Fields moved out one by one.

#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
struct Order {
    id: String,
    items: Vec<i64>,
    customer: Customer,
}

#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
struct Customer {
    name: String,
    tags: Vec<i64>,
}

crate::harness::program! {
    async fn partial_moves(cx: &Context, n: i64) -> (i64, String, usize) {
        let order = Order { id: text(n).await, items: list(n).await, customer: Customer { name: "bo".into(), tags: vec![1] } };
        let mut total = 0;
        for item in order.items {
            total += step(item).await;
            trace(&order.id);
        }
        let name = order.customer.name;
        step(total).await;
        let tags = order.customer.tags;
        step(tags.len() as i64).await;
        (total, format!("{}{name}", order.id), tags.len())
    }
    (0) (3)
}
