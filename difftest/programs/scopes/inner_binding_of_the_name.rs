//! Code without an await binds the name of the local that it brings a value to.

enum Status {
    Ready { text: String },
    Busy(i64),
}

fn status(n: i64) -> Status {
    if n > 3 { Status::Ready { text: format!("ready {n}") } } else { Status::Busy(n) }
}

#[workflow]
async fn program(n: i64) -> (String, i64) {
    let mut tried = n;
    let text = loop {
        let status = status(tried);
        match &status {
            Status::Ready { text } => break text.clone(),
            Status::Busy(count) => tried += count + 1,
        }
        tried += act(tried).await.abs() % 2;
    };
    let count = 'count: {
        if let Some(count) = lookup(&text).await {
            break 'count count;
        }
        if let Some((count, _)) = Some((tried, "x")) {
            break 'count count + 1;
        }
        0
    };
    let text = match pair(count).await {
        (number, text) if number > 5 => text,
        (number, _) => {
            let text = format!("{number} after {text}");
            text
        }
    };
    (concat(&text, "end").await, count)
}
