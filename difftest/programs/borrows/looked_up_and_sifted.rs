//! What is looked up and then narrowed down: by closures and functions that lend a part of it.

use std::collections::BTreeMap;
use std::path::PathBuf;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Order {
    coupon: Option<String>,
    lines: Vec<Line>,
    notes: BTreeMap<i64, String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Line {
    sku: String,
    cents: i64,
}

#[workflow]
async fn of_path(path: PathBuf) -> Result<String, String> {
    let name = path.to_str().ok_or("no text")?;
    let stem = path.file_stem().and_then(|s| s.to_str()).ok_or_else(|| format!("no {path:?}"))?;
    let text = concat(name, stem).await;
    Ok(text + stem)
}

#[workflow]
async fn program(n: i64) -> (Order, Vec<String>) {
    let mut order = Order { coupon: Some(fetch("ten").await), lines: vec![], notes: BTreeMap::new() };
    for sku in words("pen ink cap").await {
        order.notes.insert(sku.len() as i64, concat(&sku, " note").await);
        order.lines.push(Line { cents: act(n).await, sku });
    }
    let mut log = vec![];
    if let Some(coupon) = order.coupon.as_deref().filter(|coupon| coupon.len() > 1) {
        log.push(concat(coupon, "!").await);
        log.push(coupon.to_owned());
    }
    let first = order.notes.get(&3).and_then(|note| note.split(' ').next()).unwrap_or("none");
    log.push(concat(first, "?").await);
    log.push(first.to_owned());
    let limit = act(n).await;
    let dear = order.lines.iter().filter(|line| line.cents >= limit).min_by_key(|line| line.cents);
    match dear.map(|line| &line.sku) {
        Some(sku) => log.push(concat(sku, "dear").await),
        None => tick().await,
    }
    let cheap = order.lines.iter().filter(|line| line.cents < limit + 9).map(|line| &line.sku).next();
    tick().await;
    log.push(format!("{cheap:?} {dear:?}"));
    let note = order.notes.last_key_value().map(|(_, note)| note.as_str());
    let text = order.notes.values().find_map(|note| note.strip_prefix("pe")).map(str::trim);
    log.push(fetch(note.unwrap_or_default()).await);
    log.push(format!("{note:?} {text:?}"));
    // Numbers are saved.
    let at = order.lines.iter().enumerate().find(|(_, line)| line.cents < 9).map(|(at, _)| at);
    let length = order.notes.get(&3).map(|note| note.len());
    order.lines.push(Line { sku: of_path("a/b.txt".into()).await.unwrap_or_default(), cents: 1 });
    log.push(format!("{at:?} {length:?}"));
    (order, log)
}
