//! `unwrap_or(&[])` behind what is looked up.

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Order {
    lines: Vec<i64>,
}

#[workflow]
async fn program(n: i64) -> Vec<i64> {
    let orders = vec![Order { lines: list(n + 2).await }];
    let mut out = vec![];
    let lines = orders.get(n as usize % 2).map(|order| &order.lines[..]).unwrap_or(&[]);
    out.push(act(1).await);
    out.extend(lines);
    for line in orders.get(n as usize % 2).map(|order| order.lines.as_slice()).unwrap_or(&[]) {
        out.push(act(*line).await);
    }
    let rest = orders[0].lines.get(1..).unwrap_or(&[]);
    for line in rest {
        out.push(act(*line).await);
    }
    for line in orders.first().map_or(&[][..], |order| &order.lines) {
        out.push(act(*line).await);
    }
    out
}
