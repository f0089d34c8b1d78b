//! Texts that closures of the body give: literals by one branch or another, and borrowed ones beside them.

#[workflow]
async fn program(n: i64) -> Vec<String> {
    let mut out = vec![];
    let order = order(n).await;
    let size = |count: i64| if count > 50 { "big" } else { "small" };
    let label = size(act(n).await);
    out.push(fetch(label).await + label);
    let kind = |name: &str| match name.len() {
        0..=3 => Some("short"),
        4..=9 => None,
        _ => Some("long"),
    };
    if let Some(kind) = kind(&order.customer) {
        out.push(fetch(kind).await + kind);
    }
    let pair = |count: i64| (if count % 2 == 0 { "even" } else { "odd" }, count * 2);
    let (parity, twice) = pair(act(n + 1).await);
    out.push(concat(parity, &act(twice).await.to_string()).await);
    out.push(format!("{parity}{twice}"));
    let owner = || if order.id > 1 { order.customer.as_str() } else { "nobody" };
    let who = owner();
    out.push(fetch(who).await + who);
    for line in &order.lines {
        let state = size(line.count * 30);
        out.push(concat(state, &line.sku).await);
        note(state);
    }
    out.push(concat(size(1), owner()).await);
    out
}
