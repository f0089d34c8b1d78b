//! The operands of a condition look up one in the other, and all of them are needed after awaits.

#[workflow]
async fn program(n: i64) -> i64 {
    let mut maps = BTreeMap::from([(1, vec![vec![n]])]);
    let mut sum = 0;
    while let Some(rows) = maps.get_mut(&1)
        && let Some(row) = rows.last_mut()
        && row.len() < 4
        && let Some(cell) = row.first_mut()
    {
        *cell += act(1).await;
        sum += *cell;
        row.push(7);
        tick().await;
        rows.push(vec![sum, 1]);
        sum += rows.len() as i64;
        if sum > 90 {
            break;
        }
    }
    if let Some(rows) = maps.get(&1) && let Some(row) = rows.first() {
        join!(async { act(row.len() as i64).await }, async { act(rows.len() as i64).await });
    }
    sum
}
