//! `let else` that continues or breaks.

#[workflow]
async fn program(n: i64) -> Vec<String> {
    let mut found = Vec::new();
    for i in n..n + 6 {
        let Some(text) = find(i).await else {
            tick().await;
            continue;
        };
        let Ok(value) = try_act(i).await else { break };
        found.push(format!("{text}={value}"));
    }
    found
}
