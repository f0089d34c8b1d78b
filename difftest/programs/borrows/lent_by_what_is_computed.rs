//! What branches, several look-ups side by side and entries lend, where what they look for is computed or awaited.

use std::collections::BTreeMap;

#[workflow]
async fn index_in_a_branch(n: i64) -> i64 {
    let lines = lines(n);
    let line = match lines.iter().find(|line| line.count > n + 1) {
        Some(line) => line,
        None => &lines[nth(act(n).await)],
    };
    let other = if n > 3 {
        let at = nth(n);
        &lines[at]
    } else {
        lines.last().unwrap()
    };
    let sku = if n % 2 == 0 { &lines[nth(n + 1)].sku } else { lines[nth(n)].sku.as_str() };
    let last = {
        let at = nth(act(line.count).await);
        note(at);
        &lines[at]
    };
    note(concat(sku, &fetch(&other.sku).await).await);
    act(line.count + other.count).await + line.count + last.count + sku.len() as i64
}

#[workflow]
async fn index_of_an_arm(n: i64) -> i64 {
    let lines = lines(n);
    let mut sum = 0;
    for wanted in [None, Some(n), Some(n + 1)] {
        let line = match wanted {
            Some(at) if at > 2 => &lines[nth(at)],
            Some(at) => &lines[nth(act(at).await)],
            None => continue,
        };
        sum += act(line.count).await + line.count;
    }
    let found = if flag(n).await { &lines[nth(act(n).await)] } else { return sum };
    sum + act(found.count).await * found.count
}

#[workflow]
async fn looked_up_to_decide(n: i64) -> i64 {
    let lines = lines(n);
    let ages = table(n).await;
    let none = fetch("none").await;
    let sku = match lines.get(nth(act(n).await) + 1) {
        Some(line) => &line.sku,
        None => &none,
    };
    let line = if let Some(line) = lines.get(nth(n) + 1) { line } else { return act(0).await };
    let age = match ages.get(&format!("k{}", act(n).await)) {
        Some(age) => age,
        None => &line.count,
    };
    note(fetch(sku).await);
    act(*age).await + line.count + sku.len() as i64 + *age
}

#[workflow]
async fn side_by_side(n: i64) -> i64 {
    let lines = lines(n);
    let ages = table(n).await;
    let sum = match (lines.get(nth(n)), lines.get(nth(act(n).await) + 1)) {
        (Some(a), Some(b)) => a.count + b.count + act(a.count).await + b.count,
        (Some(a), None) => act(a.count).await,
        _ => return -1,
    };
    let (Some(first), Some(sku)) =
        (lines.get(nth(act(n).await)), lines.get(nth(act(n + 1).await)).map(|line| &line.sku))
    else {
        return act(3).await;
    };
    if let (Some(line), Some(age)) = (lines.get(nth(act(n).await)), ages.get(&fetch("k").await)) {
        note(act(line.count).await + *age + line.count);
    }
    act(first.count).await + sum + sku.len() as i64
}

#[workflow]
async fn changed_entries(n: i64) -> BTreeMap<i64, i64> {
    let mut totals: BTreeMap<i64, i64> = BTreeMap::new();
    let key = n;
    for round in 0..3 {
        totals.entry(key).and_modify(|total| *total += note(round)).or_insert(act(n).await);
        totals.entry(act(n).await).and_modify(|total| *total += n).or_insert(act(9).await);
        *totals.entry(act(n).await).and_modify(|total| *total -= n).or_insert(3) += act(2).await;
        let total = totals.entry(n).and_modify(|total| *total += 1).or_insert(act(n).await);
        *total += act(*total).await;
        totals.entry(round).and_modify(|total| *total += 5).or_insert(match act(round).await {
            1 => break,
            4 => continue,
            price => price,
        });
    }
    totals
}

#[workflow]
async fn parts_of_texts(n: i64) -> i64 {
    let text = fetch(" a=1;b;c ").await;
    let lines = lines(n);
    let mut sum = n;
    for part in text.trim_matches(['<', '>']).trim().split(';') {
        let Some((key, value)) = part.split_once('=') else { continue };
        sum += fetch(key).await.len() as i64 + value.len() as i64;
    }
    let first = lines.first().map_or("none", |line| &line.sku);
    for letter in first.trim_start_matches('s').split('-') {
        sum += concat(letter, first).await.len() as i64;
    }
    sum
}

#[workflow]
async fn program(n: i64) -> i64 {
    note(index_in_a_branch(n).await);
    note(index_of_an_arm(n).await);
    note(looked_up_to_decide(n).await);
    note(side_by_side(n).await);
    note(changed_entries(n).await);
    parts_of_texts(n).await
}

fn lines(n: i64) -> Vec<Line> {
    (0..3).map(|at| Line { sku: format!("sku-{at}"), count: at + n }).collect()
}

fn nth(number: i64) -> usize {
    number.rem_euclid(3) as usize
}
