//! What is looked up by a key that is made of what has been awaited.

#[workflow]
async fn program(n: i64) -> i64 {
    let mut counts = BTreeMap::from([("value of 1".to_owned(), 1), ("adef".to_owned(), 2)]);
    if let Some(count) = counts.get_mut(&*(fetch("a").await + "def")) {
        *count += 1;
    }
    if let Some(count) = counts.get_mut(&*(fetch("a").await + "def")) {
        *count += act(n).await;
    }
    if let Some(count) = counts.get(&*fetch("a").await) {
        note(*count + act(n).await);
    }
    let found = counts.get(&*(vec![n].iter().map(|n| n.to_string()).collect::<Vec<_>>().join(&fetch("1").await) + "def"));
    note(found);
    note(counts.clone());
    n
}
