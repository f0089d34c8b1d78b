use std::collections::{BTreeMap, HashMap};

use piton::prelude::*;
use serde::{Deserialize, Serialize};
use tracing::info;

#[derive(Clone, Serialize, Deserialize)]
struct Order {
    id: u64,
    lines: Vec<u64>,
}

#[activity]
async fn region_here() -> Result<String, piton::Error> {
    Ok(std::env::var("REGION").unwrap_or_default())
}

#[activity]
async fn save_invoice(path: &str, text: &str) -> Result<(), String> {
    std::fs::write(path, text).map_err(|error| error.to_string())
}

#[activity]
async fn fetch(cx: &ActivityContext, url: &str) -> Result<String, String> {
    Ok(format!("{url} {}", cx.idempotency_key()))
}

#[activity]
async fn pack(number: u64) -> u64 {
    number
}

#[workflow]
async fn clock_and_chance(cx: &Context) -> String {
    let started = cx.now();
    pack(1).await;
    let waited = cx.now() - started;
    let id = cx.uuid();
    let roll = cx.random() % 6 + 1;
    format!("{waited:?} {id} {roll}")
}

#[workflow]
async fn what_is_outside(
    path: String,
    invoice: String,
    url: String,
) -> Result<String, piton::Error> {
    let region = region_here().await?;
    save_invoice(&path, &invoice).await?;
    let answer = fetch(&url).await?;
    if answer.is_empty() {
        bail!("the order is empty");
    }
    Ok(region + &answer)
}

#[workflow]
async fn waits(cx: &Context, order: Order) -> u64 {
    let (a, b) = join!(pack(1), pack(2));
    cx.sleep(seconds(1)).await;
    info!(order = order.id, "shipped");
    let mut seen = 0;
    seen += 1;
    let rules = include_str!("mod.rs");
    a + b + seen + rules.len() as u64
}

#[workflow]
async fn ordered(prices: HashMap<String, u64>) -> u64 {
    let known = prices.get("a").copied().unwrap_or_default();
    let prices: BTreeMap<_, _> = prices.into_iter().collect();
    let mut totals = BTreeMap::new();
    for (sku, price) in &prices {
        *totals.entry(sku.clone()).or_insert(0) += pack(*price).await;
    }
    known + totals.values().sum::<u64>()
}

#[deterministic]
fn total(order: &Order) -> u64 {
    order.lines.iter().sum()
}

#[workflow(strict)]
async fn known_functions(order: Order) -> u64 {
    pack(total(&order)).await
}
