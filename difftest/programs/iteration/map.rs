//! `for` over an ordered map by value, and its update by entry.

#[workflow]
async fn program(n: i64) -> BTreeMap<String, i64> {
    let mut sums = BTreeMap::new();
    for (key, value) in table(n).await {
        let more = act(value).await;
        *sums.entry(key.clone()).or_insert(0) += more;
        sums.insert(format!("{key}'"), note(value));
    }
    sums.insert("end".into(), act(n).await);
    sums
}
