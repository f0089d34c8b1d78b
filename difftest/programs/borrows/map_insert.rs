//! Awaits as arguments of methods of maps.

#[workflow]
async fn program(n: i64) -> BTreeMap<String, i64> {
    let mut map = BTreeMap::new();
    map.insert(fetch("key").await, act(n).await);
    map.insert("second".to_owned(), act(map.len() as i64).await);
    map.entry(fetch("key").await).and_modify(|x| *x += 1).or_insert(note(0));
    let removed = map.remove(&fetch("none").await);
    map.extend(table(n).await);
    note(removed);
    map
}
