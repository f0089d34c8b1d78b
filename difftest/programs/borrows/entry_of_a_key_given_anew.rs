//! Keys and fallbacks of an entry that the argument of the method called on it gives new values.

#[workflow]
async fn program(n: i64) -> String {
    let mut totals: BTreeMap<String, Vec<i64>> = BTreeMap::new();
    let mut key = fetch("first").await;
    for at in 0..3 {
        totals.entry(key).or_default().push({
            let found = act(at).await;
            key = format!("key {}", found % 2);
            found
        });
    }
    let mut fallback = vec![n];
    totals.entry(key).or_insert(fallback).push({
        key = fetch("second").await;
        fallback = list(n).await;
        fallback.len() as i64
    });
    let mut at = n.rem_euclid(3);
    let mut rows = vec![vec![1], vec![2], vec![3]];
    rows.get_mut(at as usize).unwrap().push({
        at = act(at).await;
        at
    });
    let mut place = at.rem_euclid(3) as usize;
    rows.get_mut(place).unwrap().push({
        let found = act(4).await;
        place = 0;
        found
    });
    format!("{totals:?} {key} {fallback:?} {rows:?} {at} {place}")
}
