//! Rows that are read several at a time, parsed one by one, and compared with their neighbors.
use std::collections::BTreeMap as Map;
#[derive(Debug, Default, Clone, Serialize, Deserialize)]
struct Stats {
    rows: usize,
    bad: Vec<(usize, String)>,
    sums: Map<char, i64>,
}
#[workflow]
async fn program(n: i64) -> Stats {
    let rows = join_all((0..4).map(|i| words(&format!("{} {} x{}", n + i, i, i)))).await;
    let mut stats = Stats::default();
    for (at, row) in rows.iter().flatten().enumerate() {
        stats.rows += 1;
        match parse(row).await {
            Ok(v) => *stats.sums.entry(letter(v).await).or_insert(0) += v,
            Err(ActivityError::Failed(e @ ParseFailed::Unexpected(_))) => {
                stats.bad.push((at, format!("{e}")))
            }
            Err(e) => stats.bad.push((at, e.to_string())),
        }
    }
    for chunk in rows.chunks(2) {
        let (left, right) = match chunk {
            [a, b] => (a.len(), b.len()),
            [a] => (a.len(), 0),
            _ => unreachable!(),
        };
        let t = add(left as i64, right as i64).await;
        stats.sums.insert('!', t + stats.sums.get(&'!').copied().unwrap_or_default());
    }
    for w in rows.windows(2) {
        let [a, b] = w else { continue };
        if a.first() != b.first() {
            let j = concat(&a[0], &b[0]).await;
            stats.bad.push((0, j));
        }
    }
    for row in rows.iter().step_by(2).rev() {
        let Some(last) = row.last() else { continue };
        stats.bad.push((1, fetch(last).await));
    }
    stats
}
