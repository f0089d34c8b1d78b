use piton::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(Clone, Serialize, Deserialize)]
struct Order {
    id: u64,
    lines: Vec<u64>,
}

#[activity]
async fn charge(id: u64) -> piton::Result<u64> {
    Ok(id)
}

#[workflow]
async fn after_an_await(order: Order) -> piton::Result<u64> {
    let total = charge(order.id).await?;
    let rest = order.left;
    Ok(total + rest)
}

#[workflow]
async fn in_a_branch(order: Order) -> piton::Result<u64> {
    let total = charge(order.id).await?;
    if total > 2 {
        order.close();
    }
    match order.state {
        0 => Ok(charge(1).await?),
        _ => Ok(2),
    }
}

#[workflow]
async fn in_a_loop(order: Order) -> piton::Result<u64> {
    let mut total = 0;
    for line in order.lines {
        total += charge(line).await? + order.fee;
    }
    Ok(total)
}

#[workflow]
async fn in_an_argument(order: Order) -> piton::Result<u64> {
    charge(order.id).await?;
    charge(order).await?;
    Ok(charge(order.code).await?)
}

#[workflow]
async fn of_what_is_made(id: u64) -> piton::Result<u64> {
    let order = Order { id, lines: Vec::new() };
    charge(id).await?;
    order.close(3);
    Ok(order.lines.len() as u64 + order.left.right)
}

#[workflow]
async fn in_branches(order: Order) -> piton::Result<u64> {
    let (a, b) = join!(charge(order.id), async { charge(order.kind).await });
    Ok(a? + b? + order.name.len())
}

fn main() {}
