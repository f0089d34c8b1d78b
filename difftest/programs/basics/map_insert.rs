//! A map that is filled from awaits.

#[workflow]
async fn program(cx: &Context, n: i64) -> BTreeMap<String, i64> {
    let mut map = BTreeMap::new();
    for i in 0..n {
        map.insert(text(i).await, act(i).await);
    }
    *map.entry("x".to_owned()).or_insert(0) += act(9).await;
    map
}
