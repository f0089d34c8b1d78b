//! Closures that are held across awaits, with what they capture.

use std::collections::BTreeMap;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Rates {
    percent: i64,
    names: Vec<String>,
}

fn twice(n: i64) -> i64 {
    n * 2
}

impl Rates {
    fn of(&self, cents: i64) -> i64 {
        cents * self.percent / 100
    }
}

#[workflow]
async fn called_with_an_await(n: i64) -> i64 {
    let offset = n % 7;
    let shift = |x: i64| x + offset;
    let first = shift(act(n).await);
    let second = shift(shift(act(first).await) + act(2).await);
    let double = |n| twice(n);
    let again = double(act(second).await) + double(1);
    let text = |n: &i64| n.to_string();
    again + text(&act(again).await).len() as i64
}

#[workflow]
async fn prices(rates: Rates, n: i64) -> BTreeMap<String, i64> {
    let fee = |cents: i64| rates.of(cents) + n;
    let label = |name: &str| format!("{name}/{}", rates.names.len());
    let mut all = BTreeMap::new();
    for name in &rates.names {
        let cents = act(fee(name.len() as i64)).await;
        all.insert(label(name), fee(cents));
    }
    let is_dear = move |cents: &i64| *cents > rates.percent;
    tick().await;
    all.retain(|_, cents| is_dear(cents));
    for (name, cents) in &mut all {
        *cents += if is_dear(cents) { add(*cents, name.len() as i64).await } else { 0 };
    }
    all
}

#[workflow]
async fn taken_over(n: i64) -> String {
    let name = fetch("name").await;
    let rest = move || name + "!";
    tick().await;
    let text = concat(&rest(), &n.to_string()).await;
    let pieces = words(&text).await;
    let longest = |least: usize| pieces.iter().find(|piece| piece.len() > least);
    let least = act(n).await as usize % 9;
    match longest(least) {
        Some(piece) => {
            let piece = concat(piece, "longest").await;
            format!("{piece}{:?}", longest(1))
        }
        None => text,
    }
}

#[workflow]
async fn used_before_and_after(n: i64) -> String {
    let name = fetch("name").await;
    let greet = move |x: i64| format!("{name}{x}");
    let first = greet(1);
    let again = concat(&first, &greet(n)).await;
    let count = std::cell::Cell::new(n % 3);
    let bump = move || {
        count.set(count.get() + 1);
        count.get()
    };
    let mut sum = bump();
    tick().await;
    sum += bump() * 10;
    let mut all: Vec<Box<dyn Fn(i64) -> i64>> = Vec::new();
    for index in 0..3 {
        let add = move |x: i64| x + index;
        all.push(Box::new(add));
    }
    sum += all.iter().map(|add| add(1)).sum::<i64>();
    drop(all);
    sum = act(sum).await;
    format!("{again}{}{}{sum}", greet(2), bump())
}

#[workflow]
async fn in_loops(n: i64) -> Vec<i64> {
    let mut out = vec![];
    for (index, item) in list(n).await.iter().enumerate() {
        let scaled = |by: i64| item * by + index as i64;
        let value = match index % 3 {
            0 => scaled(act(scaled(2)).await),
            1 => {
                let scaled = |by: i64| scaled(by) - 1;
                tick().await;
                scaled(3)
            }
            _ => scaled(1),
        };
        let is_known = |of: &Vec<i64>| of.contains(&value);
        if flag(value).await && !is_known(&out) {
            out.push(value);
        }
        out.push(add(value, i64::from(is_known(&out))).await);
    }
    out
}

#[workflow]
async fn in_branches(n: i64) -> (i64, i64) {
    let lists = (list(n).await, list(n + 1).await);
    let sum = |of: &[i64]| of.iter().sum::<i64>() + lists.0.len() as i64;
    let scale = |x: i64| x * (n % 5);
    join!(
        async {
            let value = act(sum(&lists.0)).await;
            scale(value) + sum(&lists.1)
        },
        async {
            tick().await;
            scale(act(scale(2)).await)
        },
    )
}

#[workflow]
async fn program(n: i64) -> String {
    let rates = Rates { percent: n * 3, names: words("a bb ccc").await };
    let called = called_with_an_await(n).await;
    let all = prices(rates, n).await;
    let text = taken_over(n).await;
    let (a, b) = in_branches(n).await;
    let both = used_before_and_after(n).await;
    let values = in_loops(n).await;
    format!("{called} {all:?} {text} {a} {b} {both} {values:?}")
}
