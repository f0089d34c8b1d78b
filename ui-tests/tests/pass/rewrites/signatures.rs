use piton::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(Clone, Serialize, Deserialize)]
struct Order {
    id: u64,
    deposit: u64,
    rest: u64,
}

#[activity]
async fn charge(cents: u64) -> u64 {
    cents
}

#[workflow]
async fn greet(name: String, all: Vec<String>) -> String {
    charge(all.len() as u64).await;
    name
}

#[workflow]
async fn keep<T: Durable>(value: T) -> T {
    charge(1).await;
    value
}

#[workflow]
async fn add_line(mut lines: Vec<u64>, text: String) -> Vec<u64> {
    lines.push(charge(text.len() as u64).await);
    lines
}

#[workflow]
async fn add_lines(texts: Vec<String>) -> Vec<u64> {
    let mut lines = vec![];
    for text in &texts {
        lines = add_line(lines, text.clone()).await;
    }
    lines
}

register!(keep::<Order>);
register!(keep::<Vec<Order>>, name = "orders.keep");

impl Order {
    #[workflow]
    async fn close(self) -> Self {
        charge(self.rest).await;
        self
    }

    #[activity]
    async fn total(&self) -> u64 {
        self.deposit + self.rest
    }
}

#[activity]
async fn fill(list: Vec<u64>) -> Vec<u64> {
    list
}

#[activity]
async fn names(cx: &ActivityContext, all: &[String], last: Option<&str>) -> String {
    format!("{} {} {last:?}", cx.idempotency_key(), all.concat())
}

#[activity]
async fn stock(item: &str) -> Result<u64, String> {
    item.parse().map_err(|error| format!("{error}"))
}

#[workflow(deny(repeated_state))]
async fn named_states(order: Order) -> u64 {
    #[state("charge_deposit")]
    let first = charge(order.deposit).await;
    #[state("charge_rest")]
    let second = charge(order.rest).await;
    first + second
}

#[workflow]
async fn all_of_them(order: Order) -> Result<u64, String> {
    let list = fill(vec![order.id]).await;
    let name = names(&[String::from("a")], Some("b")).await;
    let closed = order.clone().close().await;
    let total = closed.total().await;
    let kept = keep(closed).await;
    Ok(total + kept.id + list.len() as u64 + stock(&name).await.unwrap_or(1))
}
