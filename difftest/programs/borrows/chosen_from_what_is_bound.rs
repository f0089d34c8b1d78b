//! Borrows that a branch which awaits makes of what it has bound, where another gives none.

#[workflow]
async fn program(n: i64) -> String {
    let list = words("a b c").await;
    let name = find(n).await;
    let found = if let Some(item) = list.get(1) {
        tick().await;
        Some(&*item)
    } else {
        None
    };
    let said = fetch("x").await + found.map_or("", |found| found.as_str());
    let long = match &name {
        Some(name) if name.len() > 1 => Some(name),
        _ => None,
    };
    let said = fetch(&said).await;
    let any = match name {
        Some(ref name) => Some(name),
        None => {
            tick().await;
            None
        }
    };
    let said = concat(&said, "y").await;
    said + long.map_or("", |long| long.as_str()) + any.map_or("", |any| any)
}
