//! A map that is filled from awaits.

crate::harness::program! {
    async fn map_insert(cx: &Context, n: i64) -> std::collections::BTreeMap<String, i64> {
        let mut map = std::collections::BTreeMap::new();
        for i in 0..n {
            map.insert(text(i).await, step(i).await);
        }
        *map.entry("x".to_owned()).or_insert(0) += step(9).await;
        map
    }
    (0) (3)
}
