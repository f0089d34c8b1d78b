//! A branch gives a borrow that it has held across its own awaits.

#[workflow]
async fn program(n: i64) -> i64 {
    let text = fetch("t").await;
    let order = order(n).await;
    let part = async {
        let part = &text[1..];
        act(1).await;
        part
    }
    .await;
    note(part);
    let found = async {
        for line in &order.lines {
            if act(line.count).await > 5 {
                return Some(line);
            }
        }
        None
    }
    .await;
    note(found.map(|line| line.count));
    let found = async {
        if let Some(line) = order.lines.first() {
            act(line.count).await;
            return line.sku.as_str();
        }
        "none"
    }
    .await;
    note(found);
    n
}
