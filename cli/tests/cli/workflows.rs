//! The workflows whose runs are looked at. Their lines are in the snapshots.

use piton::Secret;
use piton::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Order {
    pub id: u64,
    pub customer: String,
    pub items: Vec<Item>,
    pub card: Secret<String>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Item {
    pub sku: String,
    pub cents: u64,
    pub gift: Option<String>,
}

#[derive(Debug, Signal, Serialize, Deserialize)]
pub struct Approve {
    pub by: String,
}

#[derive(Debug, thiserror::Error, Serialize, Deserialize)]
#[error("the card was refused")]
pub struct Refused;

#[activity]
async fn charge(order_id: u64, cents: u64, card: Secret<String>) -> Result<u64, Refused> {
    if card.expose() == "bad" { Err(Refused) } else { Ok(order_id + cents) }
}

#[activity(queue = "vans")]
async fn ship(order_id: u64) -> String {
    format!("{order_id} shipped")
}

#[workflow]
pub async fn deliver(cx: &Context, order_id: u64, sku: String) -> String {
    let label = format!("{sku} for {order_id}");
    let shipped = ship(order_id).await;
    cx.sleep(minutes(10)).await;
    format!("{shipped}: {label}")
}

#[workflow]
pub async fn fulfill(
    cx: &Context,
    order: Order,
    #[redact] token: String,
) -> Result<String, String> {
    let cents: u64 = order.items.iter().map(|item| item.cents).sum();
    let receipt = charge(order.id, cents, order.card.clone()).await.map_err(|e| e.to_string())?;
    let approved = select! {
        approve = cx.signal::<Approve>() => approve.by,
        () = cx.sleep(days(3)) => "nobody".to_owned(),
    };
    let sku = order.items[0].sku.clone();
    let shipped = deliver(order.id, sku).await;
    Ok(format!("{shipped}, {receipt}, approved by {approved} with {token}"))
}

#[workflow]
pub async fn greet(_cx: &Context, name: String) -> Result<String, String> {
    if name.is_empty() { Err("nobody is there".to_owned()) } else { Ok(format!("hello {name}")) }
}

/// Keeps its past states.
#[workflow(history = 10)]
pub async fn count(cx: &Context, from: u64) -> u64 {
    let mut sum = from;
    for _ in 0..3 {
        let approve = cx.signal::<Approve>().await;
        sum += approve.by.len() as u64;
    }
    sum
}

pub fn order(id: u64, card: &str) -> Order {
    let item = |sku: &str, cents, gift: Option<&str>| Item {
        sku: sku.to_owned(),
        cents,
        gift: gift.map(str::to_owned),
    };
    Order {
        id,
        customer: "Ann".to_owned(),
        items: vec![item("rope", 4_200, None), item("chalk", 650, Some("for Ben"))],
        card: Secret::new(card.to_owned()),
    }
}

#[activity(retry(initial = "1h"))]
async fn refund(_receipt: u64, is_open: bool) -> Result<(), String> {
    if is_open { Ok(()) } else { Err("the bank is closed".to_owned()) }
}

/// Fails once it is approved, and is then stuck in its second compensation.
#[workflow]
pub async fn pay_twice(cx: &Context) -> Result<(), String> {
    cx.on_failure(refund(1, true));
    cx.on_failure(refund(2, false));
    let approve = cx.signal::<Approve>().await;
    Err(format!("{} says no", approve.by))
}

#[derive(Debug, Update, Serialize, Deserialize)]
#[update(reply = u64, error = TooMuch)]
pub struct Add {
    pub number: u64,
}

#[derive(Debug, Serialize, Deserialize)]
pub struct TooMuch {
    pub limit: u64,
}

/// Exposes what it has added up.
#[workflow]
pub async fn tally(cx: &Context) -> Result<u64, String> {
    #[expose]
    let mut sum: u64 = 0;
    loop {
        select! {
            add = cx.update::<Add>() => {
                if sum + add.number > 10 {
                    add.refuse(TooMuch { limit: 10 });
                    continue;
                }
                sum += add.number;
                add.reply(sum);
            }
            _ = cx.signal::<Approve>() => return Ok(sum),
        }
    }
}

#[activity(queue = "ramp", partition = "{van}", retry(max_attempts = 1))]
async fn load(van: String, kilos: u32) -> Result<(), String> {
    Err(format!("{van}: {kilos} kg are too heavy"))
}

/// Loads vans, all of which are too small.
#[workflow]
pub async fn load_vans(count: u32) -> u32 {
    let mut loaded = 0;
    for van in 1..=count {
        loaded += u32::from(load(format!("van {van}"), van * 1_000).await.is_ok());
    }
    loaded
}

/// Makes a bill once somebody has approved it.
#[workflow(id = "bill-{customer.name}")]
pub async fn bill(cx: &Context, customer: Customer) -> String {
    let approve = cx.signal::<Approve>().await;
    format!("{} by {}", customer.name, approve.by)
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Customer {
    pub name: String,
}

pub fn customer(name: &str) -> Customer {
    Customer { name: name.to_owned() }
}
