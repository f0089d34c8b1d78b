//! Borrows that are given by one of several branches, and held across awaits.

use std::collections::BTreeMap;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
enum Owner {
    Person { name: String, age: i64 },
    Company(String),
    Nobody,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Parcel {
    owner: Owner,
    nick: Option<String>,
    name: String,
    stops: Vec<String>,
}

#[workflow]
async fn failing(n: i64, prices: BTreeMap<String, i64>) -> Option<i64> {
    let usual = 5;
    let price = if n > 3 { prices.get("cap")? } else { &usual };
    let paid = act(*price).await;
    Some(paid + price)
}

#[workflow]
async fn program(n: i64) -> (Vec<String>, Vec<i64>, Vec<i64>) {
    let mut log = Vec::new();
    let (mut left, mut right) = (list(n).await, list(n + 1).await);
    let parcel = Parcel {
        owner: match n.rem_euclid(3) {
            0 => Owner::Person { name: fetch("ann").await, age: n },
            1 => Owner::Company(fetch("acme").await),
            _ => Owner::Nobody,
        },
        nick: if flag(n).await { Some(fetch("nick").await) } else { None },
        name: fetch("name").await,
        stops: words("a b c").await,
    };
    let text = if n > 2 { &parcel.name } else { &parcel.stops[0] };
    log.push(concat(text, "1").await);
    log.push(text.clone());

    let chosen = if left.len() > right.len() { &mut left } else { &mut right };
    chosen.push(act(n).await);
    chosen.push(chosen.len() as i64);

    let owner = match &parcel.owner {
        Owner::Person { name, age } if *age > 3 => name,
        Owner::Company(name) => name,
        Owner::Person { .. } | Owner::Nobody => &parcel.name,
    };
    log.push(concat(owner, "2").await);
    log.push(owner.to_uppercase());

    let called: &str = if let Some(nick) = &parcel.nick { nick } else { "nobody" };
    log.push(fetch(called).await);
    log.push(called.to_owned());

    let stop = match n {
        0 | 1 => parcel.stops.first(),
        2 => parcel.stops.get(1),
        _ => None,
    };
    tick().await;
    log.push(format!("{stop:?}"));

    for at in 0..4 {
        let stop = match parcel.stops.get(at) {
            Some(stop) if stop == "b" => continue,
            Some(stop) => stop,
            None => break,
        };
        log.push(concat(stop, &at.to_string()).await);
        log.push(stop.clone());
    }

    let list = if n > 1 {
        &left
    } else if flag(n + 1).await {
        &right
    } else {
        &left
    };
    let sum = total(list).await;
    note(sum + list.len() as i64);

    let prices = BTreeMap::from([("cap".to_owned(), 3)]);
    log.push(format!("{:?}", failing(n, prices.clone()).await));
    log.push(format!("{:?}", failing(n, BTreeMap::new()).await));
    (log, left, right)
}
