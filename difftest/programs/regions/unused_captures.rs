//! A branch that takes over a part, which is filled again by an arm and not read any more.

#[workflow]
async fn program(n: i64) -> i64 {
    let mut order = Order { id: n, customer: String::new(), lines: Vec::new() };
    select! {
        _ = concat("a", "b") => {}
        letter = async move {
            if order.customer.clone().is_empty() {
                pair(0).await;
            }
            'a'
        } => {
            order.customer = fetch("").await;
        }
    }
    n
}
