//! Loops over borrows side by side, to be looked at or changed, alone or in rows with constants.

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct Book {
    name: String,
    bids: Vec<i64>,
    asks: Vec<i64>,
    best: Option<i64>,
}

const LIMIT: usize = 1;

#[workflow]
async fn program(n: i64) -> (Book, Vec<i64>, Vec<String>) {
    let (ours, theirs) = (list(n).await, list(n + 1).await);
    let (mut sums, mut texts) = (vec![], vec![]);
    for numbers in [&ours, &theirs] {
        sums.push(total(numbers).await);
        for number in numbers {
            sums.push(act(*number).await + numbers.len() as i64);
        }
    }
    for (name, numbers) in [("ours", &ours), ("theirs", &theirs)] {
        texts.push(fetch(name).await);
        let Some(first) = numbers.first() else { continue };
        sums.push(act(*first).await + first);
        texts.push(name.to_uppercase());
    }
    for (at, numbers) in [&theirs, &ours].into_iter().enumerate().rev() {
        for number in numbers.iter().rev() {
            if act(*number).await > 60 {
                break;
            }
            sums.push(number + at as i64);
        }
    }
    for (one, other, sign) in [(&ours, &theirs, 1), (&theirs, &ours, -2)] {
        for (a, b) in one.iter().zip(other) {
            sums.push(add(*a, *b).await * sign);
        }
    }
    for (numbers, level) in [(&ours, 200), (&theirs, 100)] {
        let small: u8 = level;
        sums.push(act(small.into()).await);
        sums.push((level << 4) as i64 + numbers.len() as i64);
    }
    let order = order(n).await;
    let shown = &order;
    for text in [&shown.customer, &texts[0].clone()] {
        note(text);
    }
    let other = fetch("other").await;
    for text in [&shown.customer, &other] {
        let fetched = fetch(text).await;
        texts.push(fetched + text);
    }
    for (lines, count) in [(&shown.lines, LIMIT), (&order.lines, 2)] {
        for line in lines.iter().take(count) {
            texts.push(fetch(&line.sku).await);
        }
    }
    let (bids, asks) = (ours.clone(), theirs);
    let mut book = Book { name: other, bids, asks, ..Book::default() };
    for numbers in [&mut book.bids, &mut book.asks] {
        numbers.push(act(numbers.len() as i64).await);
        if numbers[0] > 3 {
            numbers.push(7);
        }
        tick().await;
        numbers.reverse();
    }
    for (label, numbers) in [("bids", &mut book.bids), ("asks", &mut book.asks)] {
        numbers.sort();
        if let Some(top) = numbers.pop() {
            book.best = book.best.max(Some(act(top).await));
        }
        for number in numbers.iter_mut() {
            *number += act(*number).await;
        }
        texts.push(concat(label, &numbers.len().to_string()).await);
    }
    for numbers in [&mut book.asks, &mut book.bids].into_iter().rev() {
        numbers.retain(|number| number % 2 == 0);
        if act(numbers.len() as i64).await > 50 {
            break;
        }
        numbers.insert(0, 1);
    }
    (book, sums, texts)
}
