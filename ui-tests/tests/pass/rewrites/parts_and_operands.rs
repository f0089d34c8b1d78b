//! Parts of variables, operands before an await, and what branches use.

use std::collections::BTreeMap;

use piton::prelude::*;
use serde::{Deserialize, Serialize};

struct Parcel(u64);

#[derive(Serialize, Deserialize)]
struct Order {
    id: u64,
    paid: u64,
    lines: Vec<u64>,
    gift: Option<u64>,
    #[serde(skip)]
    parcel: Option<Parcel>,
}

#[derive(Serialize, Deserialize)]
struct Shop {
    open: Order,
}

#[derive(Serialize, Deserialize)]
struct Job {
    lines: Vec<u64>,
    name: String,
}

#[derive(Serialize, Deserialize)]
enum State {
    Queued(u64),
    Running(u64),
    Done,
}

#[activity]
async fn step(number: u64) -> u64 {
    number
}

#[activity]
async fn ship(lines: Vec<u64>) -> Vec<u64> {
    lines
}

#[activity]
async fn in_stock(item: &u64) -> bool {
    *item > 1
}

#[activity]
async fn send(to: &str, rate: u64) -> u64 {
    rate + to.len() as u64
}

fn express_fee(cents: u64) -> u64 {
    cents + 1
}

#[workflow]
async fn closure_for_a_function(cents: u64) -> u64 {
    let fee = |cents| express_fee(cents);
    step(1).await;
    fee(cents)
}

#[workflow]
async fn number_of_alternatives(state: State) -> u64 {
    let mut number = match state {
        State::Queued(number) | State::Running(number) if number > 3 => number,
        _ => return 0,
    };
    number += 1;
    step(number).await;
    number
}

#[workflow]
async fn places_in_branches(mut shop: Shop) -> Shop {
    join!(async { shop.open.paid += step(1).await }, async {
        shop.open.lines.push(step(7).await);
    });
    let order = &mut shop.open;
    let id = order.id;
    join!(async { order.paid += step(1).await }, step(id));
    shop
}

#[workflow]
async fn one_pattern_or_fields(job: Job, other: Job) -> (String, u64) {
    let Job { lines, name } = job;
    step(lines[0]).await;
    let lines = other.lines;
    step(lines[0]).await;
    (name + &other.name, lines[0])
}

#[workflow]
async fn value_in_place_of_a_part(mut order: Order) -> Order {
    let parcel = std::mem::take(&mut order.parcel);
    let weight = parcel.map_or(1, |parcel| parcel.0);
    order.parcel = Some(Parcel(step(weight).await));
    order
}

#[workflow]
async fn calls_as_branches(mut order: Order) -> Order {
    (order.lines, _) = join!(ship(order.lines), step(order.id));
    let lines = order.lines;
    (order.lines, order.paid) = join!(async { ship(lines).await }, async { step(order.id).await });
    order
}

#[workflow]
async fn variables_for_operands(
    lines: Vec<u64>,
    late: bool,
    best: Option<usize>,
    mut totals: BTreeMap<u64, u64>,
) -> u64 {
    let (owner, team) = ("owner".to_owned(), "team".to_owned());
    let rate = step(1).await;
    let first = lines.first().map_or(0, |line| line + rate);
    let to = if late { &owner } else { &team };
    let sent = send(to, step(3).await).await;
    let at = match best {
        Some(at) => at,
        None => step(1).await as usize,
    };
    let line = &lines[at];
    step(2).await;
    totals.entry(7).and_modify(|total| *total += 1).or_default();
    let Some(total) = totals.get_mut(&7) else { return first };
    *total += step(*line).await;
    sent + *total
}

#[workflow]
async fn await_in_the_arm(order: Order) -> u64 {
    match order.gift {
        Some(gift) => {
            if in_stock(&gift).await {
                step(gift).await
            } else {
                step(0).await
            }
        }
        None => step(0).await,
    }
}
