//! Values in values: tuples, arrays, maps of lists and entry calls with awaits inside.

use std::collections::BTreeMap;

#[workflow]
async fn program(n: i64) -> (usize, String) {
    let mut grid = [[0_i64; 3]; 2];
    for (row, cells) in grid.iter_mut().enumerate() {
        for (column, cell) in cells.iter_mut().enumerate() {
            *cell = add(row as i64, column as i64).await + n;
        }
    }
    let mut index: BTreeMap<i64, Vec<(String, Option<i64>)>> = BTreeMap::new();
    for row in &grid {
        for &cell in row {
            let found = lookup(&cell.to_string()).await;
            index.entry(cell % 4).or_default().push((fetch("x").await, found));
        }
    }
    let mut counts: BTreeMap<i64, usize> = index.iter().map(|(key, list)| (*key, list.len())).collect();
    *counts.entry(act(1).await).or_insert(7) += act(2).await as usize % 5;
    let late = act(9).await;
    if let Some(list) = index.get_mut(&0) {
        list[0].1 = Some(late);
        let (ref mut text, _) = list[0];
        text.push_str("changed");
    }
    let best = index.values().flatten().filter_map(|(_, found)| *found).max();
    tick().await;
    let ((a, b), [c, .., d]) = ((n, best), [act(3).await, 2, act(4).await]);
    let nested = ((a, (b, [c, d])), Some(Ok::<_, String>(grid)));
    tick().await;
    let ((_, (_, [c2, d2])), grid2) = nested;
    if let Some(Ok([first, second])) = grid2 {
        note(first[0] + second[2] + c2 + d2);
    }
    let text = match (counts.get(&0), index.first_key_value()) {
        (Some(count), Some((key, list))) if *count > 0 => {
            format!("{count} {key} {}", list.len())
        }
        (None, Some((key, _))) => key.to_string(),
        _ => String::new(),
    };
    tick().await;
    (index.len(), text)
}
