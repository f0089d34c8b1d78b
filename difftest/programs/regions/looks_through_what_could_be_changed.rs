//! What is borrowed to be changed is only looked at in several branches at the same time.

#[workflow]
async fn program(n: i64) -> i64 {
    let mut counts: BTreeMap<String, i64> = BTreeMap::new();
    let count = counts.entry(concat("Upper", "a").await).or_insert(8);
    *count += 1;
    let first = select! {
        a = async { act(*count).await + 3 } => a + *count,
        b = async { act(*count).await } => b,
    };
    *count += first;
    let mut numbers = list(3).await;
    let Some(number) = numbers.get_mut(0) else { return 4 };
    let (a, b) = join!(async { act(*number).await + *number }, async { add(*number, 1).await });
    *number += a + b;
    let mut rows = vec![vec![n], vec![n, 3]];
    let row: &mut Vec<i64> = rows.iter_mut().find(|row| row.len() > 1).unwrap();
    let (a, b) = join!(async { act(row[1]).await }, async { row.len() as i64 + act(row[0]).await });
    row.push(a + b);
    let mut order = order(n).await;
    let line = order.lines.last_mut().unwrap();
    let (a, b) = join!(async { fetch(&line.sku).await }, async { act(line.count).await });
    line.sku = a;
    line.count += b;
    let mut spare = lookup("a").await.map(|n| n.to_string());
    if let Some(text) = spare.as_mut() {
        let (a, b) = join!(async { fetch(text).await }, async { concat(text, "b").await });
        text.push_str(&(a + &b));
    }
    note((counts, numbers, rows, order));
    note(spare);
    first
}
