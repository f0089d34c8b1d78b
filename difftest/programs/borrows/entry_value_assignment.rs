//! An awaited value is assigned through a place that borrows.

#[workflow]
async fn program(n: i64) -> (BTreeMap<i64, i64>, Vec<Vec<i64>>) {
    let mut map = BTreeMap::from([(1, 1)]);
    let mut rows = vec![vec![0; 2]; 2];
    *map.entry(n).or_default() = act(n).await;
    *map.get_mut(&1).expect("is there") += act(1).await;
    rows[note(1)][note(0)] = act(2).await;
    rows[0].push(act(9).await);
    (map, rows)
}
