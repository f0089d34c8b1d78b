//! `?` on both layers, and between `Option` and `Result`.

#[workflow]
async fn program(n: i64) -> Result<i64, String> {
    let found = try_find(n).await.map_err(|error| error.to_string())?.ok_or("nothing")?;
    let name = find(found).await.ok_or_else(|| format!("no item {found}"))?;
    let length = lookup(&name).await.unwrap_or(note(1));
    Ok(length + try_act(length).await.or_else(|_| Err("late".to_owned()))?)
}
