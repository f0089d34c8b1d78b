//! `?` on results and options, in opaque code and next to awaits.

#[workflow]
async fn program(cx: &Context, n: i64) -> Result<i64, Error> {
    let n = n - 1;
    let n = n;
    piton::ensure!(n < 50 && try_act(n).await? < 200);
    let a = try_act(n).await?;
    let b = try_act(a - 3).await? + try_act(a).await?;
    let mut total = 0;
    for i in 0..3 {
        total += try_act(i - n + 1).await?;
    }
    let parsed: i64 = "12".parse().map_err(|_| std::io::Error::other("parse"))?;
    piton::ensure!(total < 1000, "too many: {total}");
    if b > 100 {
        piton::bail!("b is {b}");
    }
    Ok(a + b + total + parsed)
}
