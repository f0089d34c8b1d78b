//! What is in an `Option` or a `Result` of a local is a value once it has been opened, by whatever methods.

#[workflow]
async fn program(n: i64) -> Result<i64> {
    let a = add(try_find(n).await?.unwrap_or(8), act(1).await).await;
    let b = add(try_find(a).await?.unwrap_or_default(), act(a).await).await;
    let lists = Some(list(b).await);
    let c = add(*lists.unwrap().iter().max().unwrap_or(&3), act(2).await).await;
    let nested = Some(lookup("abc").await);
    let d = add(nested.unwrap().unwrap_or(3), act(c).await).await;
    let number = lookup("aaaa").await;
    let e = number.iter().max().unwrap_or(&4);
    tick().await;
    Ok(a + b + c + d + e)
}
