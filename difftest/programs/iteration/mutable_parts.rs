//! Mutable parts of lists: `chunks_exact_mut`, `rchunks_mut`, `flatten`.

#[workflow]
async fn program(n: i64) -> (Vec<i64>, Vec<Vec<i64>>, [Option<String>; 2]) {
    let mut items = list(n + 4).await;
    items.extend([7, 8, 9]);
    let mut rows = vec![list(3).await, vec![], list(n).await];
    let mut maybe = [None, Some(fetch("m").await)];
    for pair in items.chunks_exact_mut(2) {
        pair[0] += act(pair[1]).await;
        pair[1] = 1;
    }
    for part in items.rchunks_mut(3) {
        part[0] = total(part).await;
    }
    for x in rows.iter_mut().flatten() {
        *x = act(*x).await;
    }
    for (i, x) in rows.iter_mut().flatten().enumerate() {
        *x += i as i64;
        *x = act(*x).await;
    }
    for m in maybe.iter_mut().flatten() {
        *m = concat(m, "g").await;
        m.push('!');
    }
    (items, rows, maybe)
}
