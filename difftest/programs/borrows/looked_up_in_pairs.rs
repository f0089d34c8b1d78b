//! Several things looked up, and taken apart together.

use std::collections::BTreeMap;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Entry {
    key: String,
    cents: i64,
}

#[workflow]
async fn merged(ours: Vec<Entry>, theirs: Vec<Entry>) -> Vec<String> {
    let (mut i, mut j) = (0, 0);
    let mut log = vec![];
    while i < ours.len() || j < theirs.len() {
        match (ours.get(i), theirs.get(j)) {
            (Some(a), Some(b)) if a.key == b.key => {
                let by = add(b.cents, -a.cents).await;
                if by != 0 && act(by).await > 0 {
                    log.push(concat(&a.key, &b.key).await);
                }
                i += 1;
                j += 1;
            }
            (Some(a), b) if b.is_none_or(|b| a.key < b.key) => {
                i += 1;
                tick().await;
                log.push(format!("{} before {b:?}", a.key));
            }
            (_, Some(b)) => {
                log.push(fetch(&b.key).await);
                log.push(b.cents.to_string());
                j += 1;
            }
            _ => unreachable!("one of both is left"),
        }
    }
    log
}

#[workflow]
async fn program(n: i64) -> (Vec<String>, BTreeMap<String, i64>) {
    let mut lists = vec![];
    for text in ["a b d e", "b c d f"] {
        let mut list = vec![];
        for key in words(text).await {
            list.push(Entry { cents: act(n + key.len() as i64).await, key });
        }
        lists.push(list);
    }
    let mut log = merged(lists[0].clone(), lists[1].clone()).await;
    let mut sums: BTreeMap<String, i64> = BTreeMap::from([("x".into(), n), ("y".into(), 2)]);
    let mut more = Some(n);
    let (Some(x), limit) = (sums.get("x"), more.as_ref()) else { unreachable!() };
    log.push(fetch(&format!("{x}")).await);
    log.push(format!("{x} {limit:?}"));
    if let (Some(y), Some(more), n) = (sums.get_mut("y"), more.as_mut(), n + 1) {
        *y += act(n).await;
        *more += *y;
        *y *= add(*more, n).await;
    }
    let (first, last) = (lists.first().and_then(|list| list.first()), lists[1].last());
    if let (Some(first), Some(Entry { key, cents })) = (first, last) {
        tick().await;
        log.push(concat(&first.key, key).await);
        log.push(format!("{cents} {more:?}"));
    }
    (log, sums)
}
