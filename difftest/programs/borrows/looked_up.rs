//! What is looked up is asked for again after an await, by every kind of chain and in every place.

use std::collections::{BTreeMap, VecDeque};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Item {
    name: String,
    tags: Vec<String>,
    price: Option<i64>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Cart {
    items: Vec<Item>,
    by_name: BTreeMap<String, usize>,
    queue: VecDeque<i64>,
}

#[workflow]
async fn of_error(n: i64, cart: Cart) -> Result<i64, String> {
    let mut cart = cart;
    let key = format!("k{n}");
    let at = cart.by_name.get(&key).ok_or_else(|| format!("no {key}"))?;
    note(act(*at as i64).await);
    let item = cart.items.get_mut(*at).ok_or("none")?;
    item.price = Some(act(n).await);
    item.tags.push(fetch(&item.name).await);
    let first = cart.items.first().ok_or("empty")?;
    let price = add(first.price.unwrap_or(0), 1).await;
    Ok(price + first.name.len() as i64)
}

#[workflow]
async fn of_option(list: Vec<i64>) -> Option<i64> {
    let first = list.first()?;
    let last = list.iter().rev().next()?;
    let sum = add(*first, *last).await;
    let largest = list.iter().max()?;
    tick().await;
    Some(sum + first + largest)
}

#[workflow]
async fn program(n: i64) -> (Cart, Vec<String>) {
    let mut log = vec![];
    let mut cart = Cart { items: vec![], by_name: BTreeMap::new(), queue: list(n).await.into() };
    for (at, name) in words("pen ink cap").await.into_iter().enumerate() {
        cart.by_name.insert(format!("k{at}"), at);
        cart.items.push(Item { name, tags: vec![], price: None });
    }
    log.push(format!("{:?}", of_error(n % 4, cart.clone()).await));
    log.push(format!("{:?}", of_option(list(n).await).await));

    let mut at = 0;
    while at < cart.items.len() {
        let item = &mut cart.items[at];
        item.price = Some(act(at as i64).await);
        if item.price > Some(20) {
            item.tags.push(fetch("dear").await);
            item.price = None;
        }
        at += 1;
    }
    let index = (n.unsigned_abs() % 3) as usize;
    let item = &cart.items[index];
    log.push(concat(&item.name, "?").await);
    log.push(item.name.clone());

    let name = cart.items.last().unwrap().name.as_str();
    let more = fetch(name).await;
    log.push(format!("{name} {more}"));
    let owner = &cart.items.first().expect("there are three").name;
    tick().await;
    log.push(owner.to_uppercase());

    match cart.items.iter().find(|item| item.name.len() > index) {
        Some(Item { name, price: Some(price), .. }) if *price > 3 => {
            log.push(concat(name, &price.to_string()).await);
            log.push(name.clone());
        }
        Some(found) => {
            tick().await;
            log.push(format!("{found:?}"));
        }
        None => log.push(fetch("none").await),
    }
    if let Some((first, rest)) = cart.items.split_first()
        && let Some(second) = rest.first()
    {
        let text = concat(&first.name, &second.name).await;
        log.push(format!("{text} {} {}", first.name, rest.len()));
    }
    let line = format!("{} = {}", fetch("left").await, index);
    if let Some((left, right)) = line.trim().split_once('=') {
        let asked = concat(left.trim(), right.trim()).await;
        log.push(format!("{asked}:{left}:{right}"));
    }
    while let Some(next) = cart.queue.front_mut() {
        *next -= act(*next).await.abs() + 1;
        if *next < 0 {
            let gone = cart.queue.pop_front();
            note(gone);
        }
    }
    if let Some(item) = cart.items.iter_mut().rev().nth(index) {
        for tag in &mut item.tags {
            tag.push_str(&fetch(tag).await);
        }
        item.tags.push(fetch(&item.name).await);
        if let Some(price) = item.price.as_mut() {
            *price += add(*price, 1).await;
            note(*price);
        }
        item.name += "!";
    }
    let counts: BTreeMap<&str, usize> = BTreeMap::new();
    note(counts.get("a").copied());
    let known: Option<i64> = cart.items.get(index).and_then(|item| item.price);
    tick().await;
    note(known);
    (cart, log)
}
