//! Functional update with an awaited base.

#[workflow]
async fn program(n: i64) -> Order {
    let first = Order { id: note(n) + 1, ..order(n).await };
    let kept = first.customer.clone();
    let second = Order { customer: fetch("someone").await, ..first };
    note(kept);
    second
}
