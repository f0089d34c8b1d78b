//! Bindings that are called by keywords, in guards that await and in what these show.

#[workflow]
async fn program(n: i64) -> (i64, String) {
    let (ours, theirs) = (list(n).await, vec![1, n]);
    let chosen = match { n } {
        0..=1 => &ours,
        r#where if flag(r#where).await => &theirs,
        _ => &ours,
    };
    let count = chosen.len() as i64;
    let sum = act(count).await + chosen.iter().sum::<i64>();
    let text = match find(sum).await {
        Some(r#type) if lookup(&r#type).await.is_some_and(|found| found > 6) => r#type,
        Some(r#in) if fetch(&format!("{in} {}", r#in.len())).await.len() > 9 => r#in + "!",
        r#match => format!("{match:?}"),
    };
    (sum, text)
}
