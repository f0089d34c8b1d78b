//! Raw identifiers as locals, labels' neighbors and parameters.

#[workflow]
async fn program(r#in: i64) -> i64 {
    let r#type = act(r#in).await;
    let r#match = fetch("m").await;
    tick().await;
    r#type + r#match.len() as i64
}
