//! Methods of the program that give values by names of such that lend, held across awaits in variables with their types: a
//! value stays as it was, whatever becomes of what it was asked of, and what is lent beside it is asked for again.

use std::collections::BTreeMap;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Prices {
    all: Vec<i64>,
    names: BTreeMap<i64, String>,
}

impl Prices {
    fn get(&self, at: i64) -> Option<i64> {
        note(at);
        self.all.get(at as usize).copied()
    }

    fn first(&self) -> i64 {
        self.all[0]
    }

    fn last(&self) -> Option<&String> {
        self.names.values().last()
    }

    fn set(&mut self, n: i64) {
        self.all.insert(0, n);
    }
}

#[workflow]
async fn program(n: i64) -> String {
    let mut prices = Prices { all: list(n).await, names: BTreeMap::new() };
    prices.names.insert(n, fetch("a").await);
    let mut map = BTreeMap::new();
    map.insert(1, n);
    let mut out = vec![];
    let x: Option<i64> = prices.get(1);
    if let Some(x) = x
        && act(x).await > 3
        && let Some(y) = map.get(&1)
        && act(*y).await < 100
    {
        prices.set(n);
        note(act(x).await);
        out.push(x + y);
    }
    let first: i64 = prices.first();
    act(first).await;
    prices.set(n + 2);
    act(first).await;
    out.push(first + prices.first());
    let second: i64 = prices.get(1).unwrap_or(2);
    let third: Option<i64> = prices.get(0);
    let fourth: Option<i64> = prices.get(2);
    let Some(fourth) = fourth else { return format!("{out:?}") };
    prices.all.clear();
    act(second).await;
    out.push(second + third.unwrap_or_default() + fourth);
    if let Some(name) = prices.last() {
        note(fetch(name).await);
        out.push(name.len() as i64 + act(1).await);
    }
    prices.set(n - 1);
    let x: Option<i64> = prices.get(0);
    match (x, map.get(&1)) {
        (Some(x), Some(y)) if n > 4 => {
            act(*y).await;
            out.push(x + y)
        }
        (Some(x), _) => out.push(act(x).await + x),
        _ => {}
    }
    loop {
        let x: Option<i64> = prices.get(0);
        let Some(x) = x else { break };
        act(x).await;
        prices.all.remove(0);
        out.push(x);
    }
    for at in 0..2 {
        let Some(found) = map.get(&at) else { continue };
        let (a, b) = join!(act(*found), async { act(n).await + *found + third.unwrap_or(3) });
        out.push(a + b + found);
    }
    format!("{out:?}")
}
