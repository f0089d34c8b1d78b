//! `collect`, `into` and `parse` whose targets are told by a parameter or a return type.

fn takes(names: Vec<String>, set: &BTreeSet<i64>) -> i64 {
    names.len() as i64 + set.len() as i64
}

#[workflow]
async fn program(n: i64) -> Result<i64, String> {
    let names = words("a b a").await.into_iter().map(Into::into).collect();
    let set = list(n).await.into_iter().map(|x| x % 2).collect();
    tick().await;
    let x = takes(names, &set);
    let y = "5".parse().map_err(|_| "no number")?;
    act(x).await;
    Ok(add(x, y).await)
}
