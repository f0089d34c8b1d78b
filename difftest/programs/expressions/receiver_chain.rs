//! Awaits as receivers in a chain of methods.

#[workflow]
async fn program(n: i64) -> usize {
    let long = fetch("abc").await.replace("<", &fetch("x").await).to_uppercase();
    note(&long);
    list(n).await.into_iter().map(|x| x + 1).collect::<Vec<_>>().len() + long.len()
}
