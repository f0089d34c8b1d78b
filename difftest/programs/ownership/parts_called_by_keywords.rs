//! Fields that are called as keywords are: bound by a pattern, replaced, used by branches.

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Item {
    r#type: String,
    r#move: (String, i64),
}

#[workflow]
async fn program(n: i64) -> String {
    let mut item = Item { r#type: fetch("a").await, r#move: (fetch("b").await, n) };
    let old = std::mem::take(&mut item.r#type);
    item.r#type = fetch(&old).await;
    let Item { ref r#type, r#move: (_, count) } = item;
    let length = act(count).await + r#type.len() as i64;
    let (first, second) = join!(
        async { fetch(&item.r#type).await },
        async {
            tick().await;
            item.r#move.0.clone()
        },
    );
    format!("{old} {first} {second} {length}")
}
