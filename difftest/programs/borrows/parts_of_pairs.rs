//! Texts and keys in the pairs that methods lend, bound by patterns and held while others are awaited.

use std::collections::BTreeMap;

#[workflow]
async fn tried(n: i64) -> Option<String> {
    let order = order(n).await;
    let line = format!("{}-{n}: a=b", order.customer);
    let (left, _) = line.split_once('-')?;
    let (_, right) = line.rsplit_once(&fetch(":").await[..1])?;
    let right = right.trim();
    note(concat(left, right).await);
    let (name, _) = order.customer.split_once('9')?;
    note(concat(name, left).await);
    let (_, rest) = line.split_once(':')?;
    let (_, value) = rest.split_once('=')?;
    tick().await;
    Some(format!("{left} {right} {name} {value}"))
}

#[workflow]
async fn explained(text: String) -> Result<String, Error> {
    let (key, _) = text.split_once('=').ok_or(Error::msg("nothing there"))?;
    note(fetch(key).await);
    let (_, value) = text.split_once('=').ok_or(Error::msg("no value"))?;
    let value = value.strip_prefix('v').unwrap_or(&text);
    tick().await;
    let (_, digits) = value.split_once('-').ok_or_else(|| Error::msg(format!("no dash in {value}")))?;
    Ok(concat(digits, key).await + value)
}

#[workflow]
async fn opened(n: i64) -> String {
    let text = format!("sku-{n}\nsecond line");
    let (sku, _) = text.lines().next().unwrap_or("").split_once('-').unwrap();
    let (half, _) = text.split_at(2);
    let (_, rest) = text.split_at(nth(act(n).await));
    let (line, others) = text.split_once('\n').unwrap_or((&text, ""));
    let (word, more) = others.split_once('-').unwrap_or((others, line));
    let (_, last) = more.rsplit_once('-').unwrap_or_default();
    tick().await;
    let (same, _) = text.split_once('-').filter(|(sku, _)| sku.len() > 2).expect("a sku");
    note(concat(same, &fetch(same).await).await);
    format!("{sku} {half} {rest} {line} {word} {more} {last} {same}")
}

#[workflow]
async fn bound(n: i64) -> Option<String> {
    let text = fetch("left=right").await;
    let (key, after) = text.split_once('=')?;
    tick().await;
    let Some((start, end)) = key.split_once('e') else { return Some(concat(key, after).await) };
    let value = text.split_once('=').map(|(_, value)| value).unwrap_or_default();
    let none = text.split_once('#').map_or(value, |(text, _)| text);
    note(concat(start, end).await);
    let lines = vec![format!("{n}={n}"), text.clone()];
    let (number, _) = lines.iter().find_map(|line| line.split_once('='))?;
    let third = lines.iter().map(|line| &line[..1]).nth(nth(n) % 2)?;
    let chosen = match lines[0].split_once('3') {
        Some((_, text)) => text,
        None => &lines[1],
    };
    note(concat(number, third).await);
    Some(format!("{key} {start} {end} {value} {none} {number} {third} {chosen}"))
}

#[workflow]
async fn keys_and_ends(n: i64) -> Option<i64> {
    let totals: BTreeMap<String, i64> = BTreeMap::from([(fetch("a").await, n), (fetch("b").await, 2)]);
    let (first, _) = totals.first_key_value()?;
    let (_, last) = totals.last_key_value().unwrap();
    let (found, _) = totals.get_key_value(&fetch("b").await)?;
    note(concat(first, found).await);
    let mut counts = vec![act(n).await, 2, 3];
    let (_, rest) = counts.split_first()?;
    let sum = total(rest).await + *last;
    let copied = *counts.split_last()?.0;
    let (head, _) = counts.split_at_mut(2);
    head[1] += act(sum).await;
    head.reverse();
    let (end, _) = counts.split_last_mut()?;
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
    let count = text.split_once(' ').map_or(0, |(first, _)| first.len());
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
