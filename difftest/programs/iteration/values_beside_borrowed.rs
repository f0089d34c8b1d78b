//! A value beside each item of a borrow, and literals among them.

#[workflow]
async fn program(n: i64) -> Vec<String> {
    let mut log = Vec::new();
    let items = words("red green blue").await;
    for (item, number) in items.iter().zip(1..) {
        log.push(concat(item, &number.to_string()).await);
    }
    for (name, item) in ["a", "b"].iter().zip(items.iter().rev()) {
        log.push(concat(name, item).await);
        log.push(format!("{name}{item}"));
    }
    for (item, name) in items.iter().zip(["x", "y"]) {
        log.push(concat(item, name).await);
        log.push(format!("{name}{item}"));
    }
    for (item, name) in items.iter().zip(&["x", "y"]) {
        log.push(concat(item, name).await);
        log.push(format!("{name}{item}"));
    }
    for (item, name) in items.iter().zip(["x", "y"].into_iter().cycle()) {
        log.push(concat(item, name).await);
        log.push(format!("{name}{item}"));
    }
    for (item, name) in items.iter().zip("some words here".split(' ')) {
        log.push(concat(item, name).await);
        log.push(format!("{name}{item}"));
    }
    for ((item, name), at) in items.iter().zip(vec!["x", "y"]).zip(0..) {
        log.push(concat(item, name).await);
        log.push(format!("{name}{item}{at}"));
    }
    for (at, (item, price)) in items.iter().zip(list(n).await).enumerate() {
        log.push(concat(item, &price.to_string()).await);
        log.push(format!("{at}{item}{price}"));
    }
    let prices = list(n).await;
    for ((item, price), letter) in items.iter().zip(prices).zip('a'..='c') {
        log.push(concat(item, &price.to_string()).await);
        log.push(format!("{letter}{item}"));
    }
    log
}
