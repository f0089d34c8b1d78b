//! The value of a map's entry, and what is put into an `Option`, held across awaits.

use std::collections::BTreeMap;

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Row {
    points: i64,
    log: Vec<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Board {
    rows: BTreeMap<String, Row>,
    limits: BTreeMap<(i64, bool), (i64, i64)>,
    best: Option<Row>,
}

#[workflow]
async fn program(n: i64) -> (Board, Vec<i64>) {
    let mut board = Board::default();
    let mut seen = vec![];
    for name in words("ann bob ann cid bob ann").await {
        let row = board.rows.entry(name.clone()).or_default();
        row.points += act(n).await;
        row.log.push(concat(&name, "!").await);
        if row.points > 20 {
            row.points -= add(row.points, 1).await;
        }
        let (used, limit) = board
            .limits
            .entry((row.points % 3, row.log.len() > 1))
            .or_insert_with(|| (0, n));
        *used += act(*used).await;
        if *used > *limit {
            *limit = add(*limit, *used).await;
        }
        seen.push(*used);
        let best = board.best.get_or_insert_with(|| Row { points: n, log: vec![name.clone()] });
        best.points += act(best.points).await;
        best.log.push(name);
    }
    let mut counts: BTreeMap<i64, u32> = BTreeMap::new();
    for number in list(n).await {
        // The key is what it was, and the value is put there once.
        let mut key = number % 3;
        let count = counts.entry(key).or_insert(7);
        key += 1;
        *count += 1;
        seen.push(add(key, i64::from(*count)).await);
        *count *= 2;
        match counts.entry(key).or_insert_with_key(|key| *key as u32) {
            0 => tick().await,
            other => {
                note(act(i64::from(*other)).await);
                *other += 1;
            }
        }
    }
    seen.extend(counts.into_iter().map(|(key, count)| key * 1000 + i64::from(count)));
    (board, seen)
}
