//! Fields moved out one by one.

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Order {
    id: String,
    items: Vec<i64>,
    customer: Customer,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Customer {
    name: String,
    tags: Vec<i64>,
}

#[workflow]
async fn program(cx: &Context, n: i64) -> (i64, String, usize) {
    let order = Order { id: text(n).await, items: list(n).await, customer: Customer { name: "bo".into(), tags: vec![1] } };
    let mut total = 0;
    for item in order.items {
        total += act(item).await;
        note(&order.id);
    }
    let name = order.customer.name;
    act(total).await;
    let tags = order.customer.tags;
    act(tags.len() as i64).await;
    (total, format!("{}{name}", order.id), tags.len())
}
