//! `?` on options.

#[workflow]
async fn program(cx: &Context, n: i64) -> Option<i64> {
    let n = n - 1;
    let a = maybe(n).await?;
    let b = [1, 2, 3].get(n as usize).copied()?;
    let c = maybe(b - 3).await?;
    Some(a + b + c)
}
