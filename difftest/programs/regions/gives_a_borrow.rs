//! A branch that gives a borrow of what only it needs borrows that from outside.

#[workflow]
async fn program(n: i64) -> Option<i64> {
    let order = order(n).await;
    let text = fetch("t").await;
    let first = async {
        if act(1).await > n {
            return None;
        }
        order.lines.first()
    }
    .await;
    note(first.map(|line| line.count));
    let part = async {
        let size = act(2).await;
        if size > n { &text[1..] } else { text.trim() }
    }
    .await;
    note(part);
    if n > 3 {
        act(n).await;
    }
    let (a, b) = (fetch("a").await, fetch("b").await);
    let name = select! {
        name = async { act(1).await; &a } => name,
        name = async { act(2).await; &b } => name,
    };
    note(name);
    Some(n)
}
