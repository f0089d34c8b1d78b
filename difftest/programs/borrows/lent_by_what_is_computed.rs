//! What branches and several look-ups side by side lend, where what they look for is computed or awaited.

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
    note(looked_up_to_decide(n).await);
    note(side_by_side(n).await);
    parts_of_texts(n).await
}

fn lines(n: i64) -> Vec<Line> {
    (0..3).map(|at| Line { sku: format!("sku-{at}"), count: at + n }).collect()
}

fn nth(number: i64) -> usize {
    number.rem_euclid(3) as usize
}
