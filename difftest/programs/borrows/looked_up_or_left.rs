//! What is looked for may jump out of the block or loop around, or leave the function.

#[workflow]
async fn program(n: i64) -> Option<String> {
    let items = list(n).await;
    let mut said = String::new();
    let from = 'block: {
        let Some(item) = items.get(if n > 3 { break 'block 40 } else { n as usize }) else {
            return None;
        };
        act(*item).await + item
    };
    for name in words("one two three").await {
        let Some(item) = items.get(if name.len() == 3 { 0 } else { break }) else { continue };
        said += &concat(&name, &item.to_string()).await;
        note(item);
    }
    let last = items.get(lookup(&said).await? as usize % 3)?;
    tick().await;
    Some(format!("{said}{from}{last}"))
}
