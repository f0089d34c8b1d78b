//! `?` into the general error, from several types.

#[workflow]
async fn program(n: i64) -> Result<i64> {
    let text = try_fetch(if n == 1 { "Upper" } else { "lower" }).await?;
    let number: i64 = n.to_string().parse()?;
    let value = try_act(number + 2).await?;
    if value > 105 {
        return Err(Error::msg(format!("{value} is too much")).context(text));
    }
    Ok(parse("17").await? + value)
}
