//! A borrowed scrutinee whose bindings end before the await.

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Choice {
    name: String,
    limit: Option<i64>,
}

#[workflow]
async fn program(cx: &Context, n: i64) -> String {
    let choice = Choice { name: text(n).await, limit: Some(n) };
    let first = match &choice.limit {
        Some(limit) if *limit > 1 => act(*limit).await,
        Some(limit) => *limit,
        None => 0,
    };
    if let Some(limit) = &choice.limit {
        act(*limit + first).await;
    }
    format!("{} {first}", choice.name)
}
