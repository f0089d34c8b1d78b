//! Awaits as receivers of method chains.

#[workflow]
async fn program(cx: &Context, n: i64) -> usize {
    let length = text(n).await.trim().len();
    let doubled = list(n).await.into_iter().map(|x| x * 2).collect::<Vec<_>>();
    doubled.len() + length + text(doubled.len() as i64).await.as_str().len()
}
