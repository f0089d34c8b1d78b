//! Texts and keys that are taken out of the pairs that methods lend, and held while others are awaited.

use std::collections::BTreeMap;

#[workflow]
async fn tried(n: i64) -> Option<String> {
    let order = order(n).await;
    let line = format!("{}-{n}: a=b", order.customer);
    let left = line.split_once('-')?.0;
    let right = line.rsplit_once(&fetch(":").await[..1])?.1.trim();
    note(concat(left, right).await);
    let name = order.customer.split_once('9')?.0;
    note(concat(name, left).await);
    let value = line.split_once(':')?.1.split_once('=')?.1;
    tick().await;
    Some(format!("{left} {right} {name} {value}"))
}

#[workflow]
async fn explained(text: String) -> Result<String, Error> {
    let key = text.split_once('=').ok_or(Error::msg("nothing there"))?.0;
    note(fetch(key).await);
    let value = text.split_once('=').ok_or(Error::msg("no value"))?.1.strip_prefix('v').unwrap_or(&text);
    tick().await;
    let digits = value.split_once('-').ok_or_else(|| Error::msg(format!("no dash in {value}")))?.1;
    Ok(concat(digits, key).await + value)
}

#[workflow]
async fn opened(n: i64) -> String {
    let text = format!("sku-{n}\nsecond line");
    let sku = text.lines().next().unwrap_or("").split_once('-').unwrap().0;
    let half = text.split_at(2).0;
    let rest = text.split_at(nth(act(n).await)).1;
    let (line, others) = text.split_once('\n').unwrap_or((&text, ""));
    let (word, more) = others.split_once('-').unwrap_or((others, line));
    let last = more.rsplit_once('-').unwrap_or_default().1;
    tick().await;
    let same = text.split_once('-').filter(|(sku, _)| sku.len() > 2).expect("a sku").0;
    note(concat(text.split_once('-').unwrap().0, &fetch(same).await).await);
    format!("{sku} {half} {rest} {line} {word} {more} {last} {same}")
}

#[workflow]
async fn bound(n: i64) -> Option<String> {
    let text = fetch("left=right").await;
    let whole = text.split_once('=')?;
    let key = whole.0;
    tick().await;
    let Some(pair) = key.split_once('e') else { return Some(concat(key, whole.1).await) };
    let start = pair.0;
    let (_, end) = pair;
    let value = text.split_once('=').map(|pair| pair.1).unwrap_or_default();
    let none = text.split_once('#').map_or(value, |pair| pair.0);
    note(concat(start, end).await);
    let lines = vec![format!("{n}={n}"), text.clone()];
    let number = lines.iter().find_map(|line| line.split_once('='))?.0;
    let third = lines.iter().map(|line| line.split_at(1).0).nth(nth(n) % 2)?;
    let chosen = match lines[0].split_once('3') {
        Some(pair) => pair.1,
        None => &lines[1],
    };
    note(concat(number, third).await);
    Some(format!("{key} {start} {end} {value} {none} {number} {third} {chosen}"))
}

#[workflow]
async fn keys_and_ends(n: i64) -> Option<i64> {
    let totals: BTreeMap<String, i64> = BTreeMap::from([(fetch("a").await, n), (fetch("b").await, 2)]);
    let first = totals.first_key_value()?.0;
    let last = totals.last_key_value().unwrap().1;
    let found = totals.get_key_value(&fetch("b").await)?.0;
    note(concat(first, found).await);
    let mut counts = vec![act(n).await, 2, 3];
    let rest = counts.split_first()?.1;
    let sum = total(rest).await + *last;
    let copied = *counts.split_last()?.0;
    let head = counts.split_at_mut(2).0;
    head[1] += act(sum).await;
    head.reverse();
    let end = counts.split_last_mut()?.0;
    *end += act(copied).await;
    counts.push(first.len() as i64);
    Some(total(&counts).await + copied)
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Money(i64);

impl Money {
    fn split_at(self, part: i64) -> (i64, i64) {
        (self.0 / part, self.0 % part)
    }
}

#[workflow]
async fn of_its_own(n: i64) -> i64 {
    let mut money = Money(n + 7);
    let whole: i64 = money.split_at(2).0;
    money = Money(act(whole).await);
    let text = String::from("one two");
    let count = text.split_once(' ').map_or(0, |pair| pair.0.len());
    tick().await;
    drop(text);
    act(money.split_at(3).1).await + whole + count as i64
}

#[workflow]
async fn program(n: i64) -> i64 {
    note(tried(n).await);
    for text in ["k=v-1", "k=w-1", "k=v", "v"] {
        note(explained(text.to_owned()).await.map_err(|error| error.to_string()));
    }
    note(opened(n).await);
    note(bound(n).await);
    note(keys_and_ends(n).await);
    of_its_own(n).await
}

fn nth(number: i64) -> usize {
    number.rem_euclid(3) as usize
}
