//! The key of an entry is made of what the value that is awaited for it calls methods of.

#[workflow]
async fn program(n: i64) -> i64 {
    let name = fetch("name").await;
    let mut seen = std::collections::BTreeMap::<String, Vec<i64>>::new();
    for round in 0..3 {
        seen.entry(name.clone()).or_default().push(match try_act(n + round).await {
            Ok(value) => value + name.clone().len() as i64,
            Err(_) => name.len() as i64,
        });
        let key = format!("{}-{round}", name.to_uppercase());
        seen.entry(key.clone()).or_insert_with(Vec::new).push({
            let mut key = key.clone();
            key.push('!');
            fetch(&key).await.len() as i64
        });
    }
    note(seen.len() as i64);
    note(format!("{seen:?}"));
    seen.values().map(Vec::len).sum::<usize>() as i64
}
