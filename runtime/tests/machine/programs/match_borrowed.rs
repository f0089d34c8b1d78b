//! A borrowed scrutinee whose bindings end before the await.

#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
struct Choice {
    name: String,
    limit: Option<i64>,
}

crate::harness::program! {
    async fn match_borrowed(cx: &Context, n: i64) -> String {
        let choice = Choice { name: text(n).await, limit: Some(n) };
        let first = match &choice.limit {
            Some(limit) if *limit > 1 => step(*limit).await,
            Some(limit) => *limit,
            None => 0,
        };
        if let Some(limit) = &choice.limit {
            step(*limit + first).await;
        }
        format!("{} {first}", choice.name)
    }
    (1) (2)
}
