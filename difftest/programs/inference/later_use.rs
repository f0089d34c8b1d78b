//! Types that only later code tells, across awaits.

#[workflow]
async fn program(n: i64) -> String {
    let mut all = Vec::new();
    let mut map = BTreeMap::new();
    let mut none = None;
    tick().await;
    all.push(act(n).await);
    map.insert(all.len(), fetch("x").await);
    if flag(n).await {
        none = Some(letter(n).await);
    }
    let parsed = "17".parse().unwrap_or_default();
    tick().await;
    let sum: u64 = parsed;
    format!("{all:?} {map:?} {none:?} {sum}")
}
