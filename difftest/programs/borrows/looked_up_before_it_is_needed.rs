//! What is looked up and not used before an await: it is looked up all the same, and may not be there.

use std::collections::BTreeMap;

#[workflow]
async fn of_error(list: Vec<i64>, table: BTreeMap<i64, String>, n: i64) -> Result<String, String> {
    let first = list.first().ok_or("empty")?;
    let name = table.get(&n).map(String::as_str).ok_or_else(|| format!("no {n}"))?;
    let odd = list.iter().find(|number| **number % 2 != 0);
    tick().await;
    let text = concat(name, &first.to_string()).await;
    Ok(format!("{text}{name}{odd:?}"))
}

#[workflow]
async fn of_panic(list: Vec<i64>, at: usize) -> i64 {
    let last = list.last().unwrap();
    let one = &list[at];
    note("both there");
    tick().await;
    last + one
}

#[workflow]
async fn program(n: i64) -> Vec<Result<String, String>> {
    let mut results = vec![];
    for key in n..n + 3 {
        let numbers = if key % 3 == 0 { vec![] } else { list(key).await };
        let names = BTreeMap::from([(n + 1, fetch("name").await)]);
        results.push(of_error(numbers.clone(), names, key).await);
        if key % 2 == 0 {
            let at = act(key).await.rem_euclid(numbers.len() as i64 + 1) as usize;
            results.push(Ok(of_panic(numbers, at).await.to_string()));
        }
    }
    results
}
