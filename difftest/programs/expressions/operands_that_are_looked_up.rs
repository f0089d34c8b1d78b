//! What is looked up stands before an operand that is awaited: by every kind of chain, by keys that change or are used up
//! meanwhile, and wrapped in borrows.

use std::borrow::Cow;
use std::collections::BTreeMap;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Region {
    limits: Vec<i64>,
    name: Option<String>,
}

struct Ends<'a> {
    first: Option<&'a i64>,
    between: i64,
    last: Option<&'a i64>,
}

fn plus(found: Option<&i64>, other: i64) -> i64 {
    found.copied().unwrap_or(-1) + other
}

fn plus_both(found: Option<&i64>, name: Option<&String>, other: i64) -> i64 {
    plus(found, other) + name.map_or(0, |name| name.len() as i64)
}

fn times(found: &i64, other: i64) -> i64 {
    found * other
}

fn with_key(found: Option<&i64>, other: i64, key: String) -> i64 {
    plus(found, other) + key.len() as i64
}

fn pair((text, found): (&String, &i64), other: i64) -> i64 {
    text.len() as i64 + found + other
}

fn cow(text: Cow<str>, [ours, theirs]: [&String; 2], other: i64) -> String {
    format!("{text} {ours} {theirs} {other}")
}

#[workflow]
async fn in_depth(n: i64) -> Option<String> {
    let mut regions = BTreeMap::new();
    regions.insert(n, Region { limits: list(n).await, name: None });
    regions.insert(n + 1, Region { limits: vec![3], name: Some(fetch("n").await) });
    let at = n;
    let mut out = vec![];
    out.push(plus_both(
        regions.get(&at)?.limits.first(),
        regions.get(&(at + 1)).and_then(|region| region.name.as_ref()),
        act(n).await,
    ));
    out.push(times(regions.get(&n).unwrap().limits.last().unwrap_or(&7), act(2).await));
    out.push(times(regions.get(&n)?.limits.get(1)?, act(regions.len() as i64).await));
    let limits = &regions[&n].limits;
    let ends = Ends { first: limits.first(), between: act(1).await, last: regions[&n].limits.last() };
    out.push(plus(ends.first, ends.between) + plus(ends.last, 0));
    Some(format!("{out:?}"))
}

#[workflow]
async fn program(n: i64) -> String {
    let mut stock = BTreeMap::new();
    let mut key = fetch("a").await;
    stock.insert(key.clone(), n);
    stock.insert("b".to_owned(), act(n).await);
    let numbers = list(n).await;
    let mut at = 0;
    let mut sum = plus(stock.get("b"), act(n).await);
    sum += plus(stock.get(&key), {
        key.push('x');
        act(key.len() as i64).await
    });
    sum += plus(numbers.get(at), {
        at += 1;
        act(n).await
    });
    let mut names = BTreeMap::new();
    names.insert(n, fetch("c").await);
    for (number, name) in &names {
        sum += plus_both(numbers.first(), names.get(number), act(number + name.len() as i64).await);
        sum += plus(stock.get(name), act(*number).await);
    }
    let shown = format!("{:?} {}", numbers.first(), act(n).await);
    let equal = numbers.last() == Some(&act(n).await);
    let borrow = &mut stock;
    borrow.insert("d".to_owned(), sum);
    let all = format!("{:?} {:?} {}", borrow.get("d"), borrow.last_key_value(), act(n).await);
    let mut many = n;
    sum += pair((&key, &n), act(n).await);
    sum += plus(Some(&n), {
        many += 1;
        act(many).await
    });
    let text = cow(Cow::from(&key), [&key, &fetch("e").await], act(n).await);
    let (mine, yours) = join!(async { plus(numbers.first(), act(n).await) }, async {
        plus(numbers.last(), act(n + 1).await) + plus(stock.get("b"), act(3).await)
    });
    sum += mine + yours;
    sum += with_key(stock.get(&key), act(n).await, key);
    let deep = in_depth(n).await;
    format!("{sum} {shown} {equal} {all} {text} {deep:?}")
}
