//! A part that is moved out and assigned back while the rest of its variable is saved.

use piton::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize)]
enum Status {
    New,
    Paid(String),
    Sent,
}

#[derive(Serialize, Deserialize)]
struct Order {
    id: u64,
    lines: Vec<u64>,
    to: (String, Vec<String>),
    status: Status,
}

#[activity]
async fn ship(lines: Vec<u64>) -> Result<Vec<u64>, String> {
    Ok(lines)
}

#[activity]
async fn pay(id: u64) -> String {
    id.to_string()
}

#[workflow]
async fn advance(status: Status) -> Status {
    status
}

#[workflow]
async fn fields(mut order: Order) -> piton::Result<Order> {
    order.id += 1;
    order.lines = ship(order.lines).await?;
    order.to.0 = order.to.0 + &pay(order.id).await;
    while order.id < 9 {
        order.status = advance(order.status).await;
        order.id += 1;
    }
    Ok(order)
}

#[workflow]
impl Order {
    #[workflow]
    async fn proceed(mut self) -> Option<Order> {
        self.status = match self.status {
            Status::New => Status::Paid(pay(self.id).await),
            Status::Paid(by) if by.is_empty() => return None,
            Status::Paid(_) => advance(Status::Sent).await,
            other => other,
        };
        Some(self)
    }
}

#[workflow]
async fn rest(orders: Vec<Order>) -> piton::Result<Vec<Order>> {
    let mut shipped = Vec::new();
    for order in orders {
        shipped.push(Order { lines: ship(order.lines).await?, ..order });
    }
    Ok(shipped)
}
