//! Parts of maps by their keys.

use std::collections::{BTreeMap, BTreeSet};

#[workflow]
async fn program(n: i64) -> (i64, BTreeMap<i64, String>) {
    let mut map: BTreeMap<i64, String> = (0..6).map(|key| (key, key.to_string())).collect();
    let mut sum = 0;
    for (key, text) in map.range(2..n.rem_euclid(4) + 3) {
        sum += act(*key).await + text.len() as i64;
        note(key);
    }
    for (key, text) in map.range_mut(1..) {
        text.push_str(&fetch("x").await);
        sum += key;
    }
    if let Some((key, text)) = map.range(n.rem_euclid(5)..).next() {
        sum += act(*key).await + text.len() as i64;
    }
    if let Some((key, text)) = map.range_mut(..n.rem_euclid(5)).next_back() {
        text.push_str(&fetch("y").await);
        sum += *key;
    }
    let counts = table(n).await;
    let from = fetch("k").await;
    for (key, count) in counts.range(from.clone()..) {
        sum += act(*count).await + key.len() as i64;
    }
    for (key, count) in counts.range(from..).filter(|(key, _)| key.len() > 1) {
        sum += act(*count).await + key.len() as i64;
    }
    let numbers: BTreeSet<i64> = list(n).await.into_iter().collect();
    for number in numbers.range(..=4).rev() {
        sum += act(*number).await + number;
    }
    let mut list = list(n + 1).await;
    for x in list.iter().rev().peekable() {
        sum += act(*x).await + x;
    }
    if let Some(x) = list.iter().rfind(|x| **x % 2 == 0) {
        sum += act(*x).await + x;
    }
    if let Some(x) = list.iter_mut().rfind(|x| **x % 2 != 0) {
        *x += act(*x).await;
    }
    (sum + list.iter().sum::<i64>(), map)
}
