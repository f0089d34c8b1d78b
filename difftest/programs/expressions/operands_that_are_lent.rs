//! Operands that a method lends of a local, before one that is awaited: they are asked for again.

fn sum(list: &[i64]) -> i64 {
    list.iter().sum()
}

fn length(text: &str) -> i64 {
    text.len() as i64
}

#[workflow]
async fn program(n: i64) -> (Vec<String>, i64) {
    let mut log = vec![];
    let list = words("a bb ccc dddd").await;
    for item in (words("e ff ggg").await).iter().rev() {
        log.push(concat(item.as_str(), &fetch("x").await).await);
    }
    for item in &list {
        log.push(concat(item.as_str(), &fetch("x").await).await);
    }
    for (at, item) in list.iter().enumerate().rev() {
        log.push(concat(item.trim(), &fetch("x").await).await);
        note(at);
    }
    for item in list.iter().skip(1).filter(|item| item.len() != 2) {
        log.push(concat(item.as_str(), &fetch("y").await).await);
    }
    for (item, count) in list.iter().zip([1, 2]) {
        log.push(concat(item.as_str(), &act(count).await.to_string()).await);
    }
    for items in list.chunks(3) {
        log.push(concat(items[0].as_str(), &fetch("z").await).await);
        log.push(concat(items.last().unwrap(), &fetch("z").await).await);
    }
    log.push(concat(list.first().unwrap(), &fetch("first").await).await);
    log.push(format!("{} {}", list.last().unwrap(), fetch("last").await));
    let map = table(n).await;
    for (key, value) in map.iter().rev() {
        log.push(concat(key.as_str(), &act(*value).await.to_string()).await);
    }
    let key = fetch("k").await;
    let added = add(*map.get(&key).unwrap_or(&7), act(2).await).await;
    let most = map.values().copied().max().unwrap_or(3) + act(added).await;
    // What is wanted of the branches, the call says.
    let numbers = vec![1, 2, most];
    let chosen = sum(if flag(n).await { &numbers } else { &[4, 5] });
    (log, chosen + length(if flag(n + 1).await { &key } else { "none" }))
}
